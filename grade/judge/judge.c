// SPDX-License-Identifier: Apache-2.0
// The judge.
//
// Theory of operation: compile in the compile worker; check the kernel's
// signature; then for each case draw the inputs from the seed, run the kernel
// in the device server on a fresh module, and compare what came back with the
// reference, which was computed here. Findings of the device are worth more
// than differences: a case with a finding fails even where the result is right
// by luck. When a result is wrong and the device saw nothing, the case is run
// once more from unoptimised code, and the exercise's mutants are run on the
// same inputs: the one with the same output explains the mistake.
//
// Whose fault: whatever could be ours is tried with the exercise's own
// solution before it is held against a submission.
#include "grade/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/case/case.h"
#include "grade/input/input.h"
#include "grade/judge/cost.h"
#include "grade/judge/diagnose.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_devices.h"
#include "grade/judge/judge_efficiency.h"
#include "grade/judge/judge_hardware.h"
#include "grade/judge/judge_lua.h"
#include "grade/judge/judge_order.h"
#include "grade/judge/judge_rank.h"
#include "grade/judge/judge_requires.h"
#include "grade/judge/judge_script.h"
#include "grade/judge/judge_search.h"
#include "grade/judge/judge_trial.h"
#include "grade/judge/judge_wrong.h"
#include "grade/verdict/verdict.h"

const char judge_checked_device[] = "virtual:0";
enum { GPU_REPEATS = 20 };

// A second virtual GPU takes blocks and warps in another order, which its
// number draws.
static enum err open_gpu(struct judge *j, struct runner_options *run,
                         struct err_info *e) {
  struct gpu_device_info info;
  if (str_starts(run->device, "virtual:"))
    run->schedule_seed = strtoull(run->device + strlen("virtual:"), NULL, 10);
  else if (!str_starts(run->device, "cuda:"))
    return err_set(e, ERR_ARGUMENT,
                   "--device is cuda:N or virtual:N, not \"%.40s\"",
                   run->device);
  enum err err = runner_open(run, &j->gpu, e);
  if (!err)
    err = runner_info(j->gpu, &info, e);
  if (!err || !j->options.gpu_if_any)
    return err;
  runner_close(j->gpu);
  j->gpu = NULL;
  return ERR_OK;
}

enum err judge_open(const struct judge_options *options, struct judge **out,
                    struct err_info *e) {
  struct judge *j = xcalloc(1, sizeof *j);
  j->options = *options;
  struct runner_options run = {
      .device = judge_checked_device,
      .program = options->program,
      .schedule_seed = options->schedule_seed,
      .is_cancelled = options->is_cancelled,
      .context = options->context,
      .force_guards = options->force_guards,
      .cpu_limit_s = options->cpu_limit_s,
  };
  struct nvrtc_options nvrtc = {.program = options->program};
  enum err err = seed_from_secret(options->secret_file, &j->secret, e);
  if (!err &&
      (nvrtc_open(&nvrtc, &j->nvrtc, e) || runner_open(&run, &j->checked, e)))
    err = ERR_DEVICE_LOST; // whatever it was, the machine lacks it
  run.device = options->gpu;
  if (!err && options->gpu && strcmp(options->gpu, judge_checked_device))
    err = open_gpu(j, &run, e);
  if (!err)
    nvrtc_warm_up(j->nvrtc);
  else
    judge_close(j);
  *out = err ? NULL : j;
  return err;
}

void judge_close(struct judge *j) {
  if (!j)
    return;
  if (j->nvrtc)
    nvrtc_close(j->nvrtc);
  runner_close(j->checked);
  runner_close(j->gpu);
  runner_close(j->other_order);
  free(j);
}

// ---- Comparing ----

static bool is_poison(const struct run_result *r, int k, size_t i,
                      size_t width) {
  return r->poison[k] && !memcmp((char *)r->data[k] + i * width,
                                 (char *)r->poison[k] + i * width, width);
}

// A poison that is still there is wrong even where NaN would be right.
static void count_unwritten(const struct run_result *r, int k, size_t count,
                            enum dtype t, const void *want,
                            struct comparison *c) {
  size_t width = dtype_bytes(t);
  for (size_t i = 0; i < count && dtype_kind(t) == 'f'; i++) {
    double w = compare_element(t, want, i);
    if (!isnan(w) || !is_poison(r, k, i, width))
      continue;
    if (!c->wrong++ || i < c->first) {
      c->first = i;
      c->got = compare_element(t, r->data[k], i);
      c->want = w;
    }
  }
}

// Compares all results of a run; false where one is wrong. The first wrong
// array is the one that is shown.
bool judge_compare(const struct exercise *ex, int i,
                   const struct case_input *want, const struct run_result *r,
                   struct verdict_case *out) {
  const struct tolerance *tol = &ex->cases[i].tolerance;
  bool is_right = true;
  out->ulp = 0;
  out->max_abs_err = 0;
  for (int k = 0; k < ex->param_count; k++) {
    const struct exercise_param *p = &ex->params[k];
    struct comparison c;
    size_t count = want->args[k].count;
    if (!exercise_is_result(p))
      continue;
    compare_arrays(p->dtype, r->data[k], want->args[k].data, count, tol, &c);
    if (tol->allow_nan)
      count_unwritten(r, k, count, p->dtype, want->args[k].data, &c);
    if (!(c.max_abs_err <= out->max_abs_err))
      out->max_abs_err = c.max_abs_err;
    if (c.max_ulp > out->ulp)
      out->ulp = c.max_ulp;
    if (c.wrong && is_right)
      out->mismatch = (struct verdict_mismatch){
          .array = xstrdup(p->name),
          .index = c.first,
          .wrong = c.wrong,
          .count = count,
          .got = c.got,
          .want = c.want,
          .was_never_written = is_poison(r, k, c.first, dtype_bytes(p->dtype)),
      };
    is_right &= !c.wrong;
  }
  return is_right;
}

// ---- One case ----

// Each case is judged on two sets of inputs: the first is drawn for the
// learner, so that no number of tries with a changed comment draws others; the
// second for the submission as well.
enum { DRAWS = 2 };

static void make_seed(const struct trial *t, const char *name, int draw,
                      struct seed *out) {
  struct seed_for who = {
      .course = t->j->options.course,
      .learner = t->j->options.learner,
      .exercise = t->ex->name,
      .name = name,
      .submission = draw ? t->source->sha256 : NULL,
  };
  seed_derive(&t->j->secret, &who, out);
}

void judge_draw_seed(const struct trial *t, const char *name,
                     struct seed *out) {
  make_seed(t, name, DRAWS - 1, out);
}

enum err judge_make_problem(const struct trial *t, int i, struct problem *p,
                            double *reference_us, struct err_info *e) {
  const struct case_file *given = t->j->options.given;
  enum err err = ERR_OK;
  memset(p, 0, sizeof *p);
  if (given) {
    p->seed = given->seed;
    case_input_copy(t->ex, &given->in, &p->in);
  } else {
    make_seed(t, t->ex->cases[i].name, t->v->cases[i].draw, &p->seed);
    err = exercise_make_case(t->ex, i, &p->seed, &p->in, e);
  }
  if (err)
    return err;
  case_input_copy(t->ex, &p->in, &p->want);
  err = exercise_solve(t->ex, &p->want, reference_us, e);
  if (err) {
    case_input_free(&p->in);
    case_input_free(&p->want);
  }
  return err;
}

void judge_problem_free(struct problem *p) {
  case_input_free(&p->in);
  case_input_free(&p->want);
}

void judge_keep(struct trial *t, const struct problem *p, uint64_t order) {
  struct case_kept k = {t->ex, t->source, &p->in, &p->seed, order};
  if (t->j->options.keeps_case && !t->v->kept)
    t->v->kept = case_file_json(&k);
}

static bool is_lua(const struct trial *t) {
  return exercise_is_lua(t->ex->kind);
}

// Of all launches of the submission.
static uint64_t most_work(const struct trial *t) {
  return t->j->options.cost ? t->j->options.cost : COST_OF_SUBMISSION;
}

struct judge_code judge_own_code(const struct trial *t) {
  return (struct judge_code){t->j->checked, t->program, &t->kernels};
}

enum err judge_launch(struct trial *t, struct judge_code c,
                      const struct problem *p, int repeats,
                      struct run_result *r, struct err_info *e) {
  t->work_limit = cost_limit(&t->charged, most_work(t));
  if (is_lua(t)) {
    struct judge_lua own = {t->text, judge_lua_file(t), true};
    enum err failed = judge_lua_run(t, &own, p, r, e);
    run_add_work(&t->charged, &r->work);
    return failed;
  }
  struct run_request q = {.exercise = t->ex,
                          .program = c.program,
                          .kernels = c.kernels,
                          .input = &p->in,
                          .seed = &p->seed,
                          .repeats = repeats,
                          .wants_trace = t->is_traced,
                          .wants_feeds = t->is_fed,
                          .zeroes_results = t->zeroes_results,
                          .work_limit = t->work_limit};
  q.wants_counts = (t->ex->rule_count || t->is_counted) &&
                   c.program == t->program && c.on == t->j->checked;
  enum err err = runner_run(c.on, &q, r, e);
  run_add_work(&t->charged, &r->work);
  return err;
}

// Runs another program of the exercise (its solution, a mutant) on the same
// inputs. ERR_COMPILE and ERR_ARGUMENT speak of its text; other errors are of
// this machine. What the run came to is in `r`.
static enum err try_other(struct trial *t, const struct judge_compile *c,
                          const struct problem *p, struct run_result *r,
                          struct err_info *e) {
  struct nvrtc_program *program;
  char *why = NULL;
  memset(r, 0, sizeof *r);
  if (is_lua(t)) {
    struct judge_lua other = {c->text, "other.lua", false};
    return judge_lua_run(t, &other, p, r, e);
  }
  enum err err = judge_compile(t->j, c, &program, e);
  struct found_kernels kernels;
  if (!err && !signature_find(t->ex, program, &kernels, &why))
    err = err_set(e, ERR_ARGUMENT, "%s", why);
  if (!err)
    err = judge_launch(t, (struct judge_code){c->on, program, &kernels}, p, 0,
                       r, e);
  free(why);
  nvrtc_program_free(program);
  return err;
}

// False where that did not run, or not to its end: what a launch that was cut
// short leaves says nothing.
bool judge_run_other(struct trial *t, const struct judge_compile *c,
                     const struct problem *p, struct run_result *r) {
  struct err_info e;
  return !try_other(t, c, p, r, &e) && r->has_data && r->outcome != ERR_TIMEOUT;
}

enum err judge_run_solution(struct trial *t, const struct problem *p, bool anew,
                            struct run_result *r, struct err_info *e) {
  struct gpu_work charged = t->charged;
  t->charged = (struct gpu_work){0};
  struct judge_compile c = {t->ex->solution, "solution.cu", t->j->checked,
                            .anew = anew};
  enum err err = try_other(t, &c, p, r, e);
  t->charged = charged;
  return err;
}

enum verdict_kind judge_add_findings(struct trial *t, int i,
                                     const struct problem *p,
                                     const struct run_result *r) {
  struct diagnose_case q = {
      .exercise = t->ex,
      .index = i,
      .input = &p->in,
      .source = t->source->text,
      .file = source_compile_name(t->source),
      .kernels = &t->kernels,
      .is_wrong = t->is_explaining,
  };
  return diagnose_findings(t->v, &q, r);
}

// Does the exercise's own solution run to its end on these inputs?
static bool solution_runs(struct trial *t, const struct problem *p) {
  struct run_result control;
  struct err_info e;
  bool lives = !judge_run_solution(t, p, true, &control, &e) &&
               control.has_data && !control.outcome;
  run_result_free(&control);
  return lives;
}

// What a submission cannot do here while the solution runs is the
// submission's: a server that died twice under it, an instruction that the
// device does not have, whatever else kept it from running.
static enum verdict_kind judge_refused(struct trial *t, int i,
                                       const struct problem *p,
                                       const struct run_result *r) {
  if (solution_runs(t, p))
    return diagnose_outcome(t->v, t->ex, i, r);
  verdict_set_error(t->v, BLAME_MACHINE, r->outcome, r->why.text);
  return VERDICT_ERROR;
}

enum verdict_kind judge_not_run(struct trial *t, int i, const struct problem *p,
                                enum err err, const struct err_info *why) {
  struct run_result r = {.outcome = err, .why = *why};
  if (err != ERR_TIMEOUT && err != ERR_CANCELLED)
    return judge_refused(t, i, p, &r);
  verdict_set_error(t->v, BLAME_MACHINE, err, why->text);
  return VERDICT_ERROR;
}

bool judge_cost(struct trial *t, int i, const struct run_result *r,
                bool is_followed) {
  if (r->work.all <= t->work_limit)
    return false;
  bool is_launch = r->work.all > COST_OF_LAUNCH;
  bool is_one = !t->ex->most_launches;
  char *what = xasprintf(
      "%s%s",
      is_followed ? "to follow what the results are made of, as the exercise's "
                    "requirements need, "
                  : "",
      !is_launch ? "all launches together were"
      : is_one   ? "a launch was"
                 : "the launches of a case were");
  cost_diagnose(t->v, i, what, is_launch ? COST_OF_LAUNCH : most_work(t),
                is_launch ? &r->work : &t->charged);
  free(what);
  return true;
}

// The exercise's function that launches stumbled over what the kernels wrote, or
// went on for ever.
static enum verdict_kind judge_launches(struct trial *t, int i,
                                        const struct problem *p,
                                        const struct run_result *r) {
  if (!solution_runs(t, p)) {
    char *text = xasprintf("the exercise's own launches: %s", r->why.text);
    verdict_set_error(t->v, BLAME_USAGE, ERR_ARGUMENT, text);
    free(text);
    return VERDICT_ERROR;
  }
  bool is_endless = r->launch_end == LAUNCH_ENDLESS;
  bool is_hidden = t->v->cases[i].is_hidden;
  struct verdict_diagnostic *d = verdict_add(
      t->v, err_kind(r->outcome), "launches", "%s%s",
      is_hidden    ? "in a hidden case the launches do not come to an end"
      : is_endless ? ""
                   : "the launches could not go on: ",
      is_hidden ? "" : r->why.text);
  d->explain = xstrdup(
      "What is launched next depends on what your kernels have written. With "
      "the exercise's own solution it comes to an end.");
  d->order = i;
  return is_endless ? VERDICT_TIMEOUT : VERDICT_FAIL;
}

enum verdict_kind judge_result(struct trial *t, int i, const struct problem *p,
                               const struct run_result *r) {
  struct verdict_case *c = &t->v->cases[i];
  if (is_lua(t) && r->outcome &&
      (r->outcome != ERR_DEVICE_LOST || solution_runs(t, p)))
    return judge_lua_outcome(t, i, r);
  if (r->outcome == ERR_DEVICE_LOST || r->outcome == ERR_UNSUPPORTED ||
      r->outcome == ERR_NOMEM)
    return judge_refused(t, i, p, r);
  if (r->lacks_constant) {
    verdict_add(t->v, err_kind(ERR_ARGUMENT), "signature", "%s", r->why.text)
        ->order = -1;
    return VERDICT_COMPILE_ERROR;
  }
  enum verdict_kind worst =
      is_lua(t) ? judge_lua_notes(t, i, r) : judge_add_findings(t, i, p, r);
  if (worst == VERDICT_PASS && r->launch_end >= LAUNCH_RAISED)
    return judge_launches(t, i, p, r);
  if (worst == VERDICT_PASS && r->outcome)
    worst = diagnose_outcome(t->v, t->ex, i, r);
  if (judge_cost(t, i, r, false) && worst == VERDICT_PASS)
    worst = VERDICT_TIMEOUT;
  if (!r->has_data || worst == VERDICT_TIMEOUT || worst == VERDICT_ERROR)
    return worst;
  enum verdict_kind spills = diagnose_spills(t->v, t->ex, i, r);
  bool was_seen = worst != VERDICT_PASS || spills != VERDICT_PASS;
  if (verdict_rank(spills) > verdict_rank(worst))
    worst = spills;
  if (!judge_compare(t->ex, i, &p->want, r, c)) {
    if (worst == VERDICT_PASS)
      worst = VERDICT_FAIL;
    // A visible case says more than a hidden one.
    bool is_better = t->wrong_case < 0 ||
                     (t->ex->cases[t->wrong_case].is_hidden && !c->is_hidden);
    if (!was_seen && is_better)
      t->wrong_case = i;
  }
  return worst;
}

static enum verdict_kind judge_debug(struct trial *t, int i,
                                     const struct problem *p) {
  struct run_result r;
  struct judge_compile c = {t->text, source_compile_name(t->source),
                            t->j->checked, true};
  enum verdict_kind worst = VERDICT_PASS;
  if (judge_run_other(t, &c, p, &r)) {
    struct verdict_case scratch = {0};
    worst = judge_add_findings(t, i, p, &r);
    if (worst == VERDICT_PASS &&
        !judge_compare(t->ex, i, &p->want, &r, &scratch)) {
      worst = VERDICT_FAIL;
      verdict_add(t->v, "wrong-result", "wrong-result",
                  "case \"%s\" is wrong when compiled with -G",
                  t->ex->cases[i].name)
          ->order = i;
    }
    free(scratch.mismatch.array);
  }
  run_result_free(&r);
  return worst;
}

static void keep_counts(struct trial *t, int i, struct run_result *r) {
  if (!r->count_count && !(r->has_calls && t->ex->rule_count))
    return;
  size_t count = (size_t)t->counted_count + 1;
  t->counted = xrealloc(t->counted, count * sizeof *t->counted);
  t->counted[t->counted_count++] =
      (struct counted){i, r->count_count, r->counts, r->calls};
  r->counts = NULL;
  r->count_count = 0;
}

static void free_counts(struct trial *t) {
  for (int k = 0; k < t->counted_count; k++) {
    for (int n = 0; n < t->counted[k].count; n++)
      free(t->counted[k].of[n].lines);
    free(t->counted[k].of);
  }
  free(t->counted);
}

// Judges case `i` on one set of inputs; its verdict goes into the case. Data
// of hidden cases is not shown.
static void judge_draw(struct trial *t, int i) {
  struct verdict_case *c = &t->v->cases[i];
  struct problem p;
  struct run_result r = {0};
  struct err_info e = {0};
  enum err err = judge_make_problem(t, i, &p, &c->reference_us, &e);
  if (err) {
    verdict_set_error(t->v, BLAME_USAGE, err, e.text);
    c->verdict = VERDICT_ERROR;
    return;
  }
  err = judge_launch(t, judge_own_code(t), &p, 0, &r, &e);
  if (err) {
    c->verdict = judge_not_run(t, i, &p, err, &e);
  } else {
    c->verdict = judge_result(t, i, &p, &r);
    keep_counts(t, i, &r);
  }
  if (c->verdict == VERDICT_PASS && t->j->options.also_debug && !c->draw &&
      !is_lua(t))
    c->verdict = judge_debug(t, i, &p);
  if (c->verdict == VERDICT_ERROR)
    t->v->blame = t->v->blame ? t->v->blame : BLAME_MACHINE;
  else if (c->verdict != VERDICT_PASS && !c->is_hidden)
    judge_keep(t, &p, t->j->options.schedule_seed);
  run_result_free(&r);
  judge_problem_free(&p);
}

// What the last run printed; of a hidden case it may be its inputs.
static char *take_output(struct trial *t, int i) {
  char *output =
      is_lua(t) ? str_take(&t->lua_output) : runner_take_output(t->j->checked);
  if (is_lua(t))
    t->lua_output = (struct str)STR_INIT;
  if (output && !t->ex->cases[i].is_hidden)
    return output;
  free(output);
  return xstrdup("");
}

// A case passes with all sets of inputs; the first that does not decides. What
// it prints is shown of the first set, as the second is more of the same.
static void judge_case(struct trial *t, int i) {
  struct verdict_case *c = &t->v->cases[i];
  int64_t ulp = -1;
  double error = 0;
  int draws = t->j->options.given ? 1 : DRAWS;
  for (int draw = 0; draw < draws; draw++) {
    c->draw = draw;
    judge_draw(t, i);
    char *output = take_output(t, i);
    if (!draw)
      str_add(&t->output, output);
    free(output);
    c->ulp = c->ulp > ulp ? c->ulp : ulp;
    c->max_abs_err =
        c->max_abs_err <= error || isnan(error) ? error : c->max_abs_err;
    if (c->verdict != VERDICT_PASS)
      break;
    ulp = c->ulp;
    error = c->max_abs_err;
  }
}

// ---- On any device ----

enum verdict_kind judge_try(struct trial *t, int i,
                            const struct judge_candidate *c,
                            struct verdict_case *time, struct err_info *e) {
  struct verdict_case seen = {0};
  struct gpu_device_info info;
  struct problem p;
  struct run_result r = {0};
  if (runner_info(c->on, &info, e) || judge_make_problem(t, i, &p, NULL, e))
    return VERDICT_ERROR;
  enum verdict_kind verdict = VERDICT_ERROR;
  int repeats = time && !info.is_checked ? GPU_REPEATS : 0;
  if (!judge_launch(t, (struct judge_code){c->on, c->program, &c->kernels}, &p,
                    repeats, &r, e)) {
    if (time) {
      time->kernel_us = r.kernel_us;
      time->mad_us = r.mad_us;
    }
    if (r.outcome)
      verdict = r.outcome == ERR_TIMEOUT ? VERDICT_TIMEOUT : VERDICT_CRASH;
    else if (diagnose_spills(t->v, t->ex, i, &r) ||
             !judge_compare(t->ex, i, &p.want, &r, &seen))
      verdict = VERDICT_FAIL;
    else
      verdict = VERDICT_PASS;
  }
  free(seen.mismatch.array);
  run_result_free(&r);
  judge_problem_free(&p);
  return verdict;
}

// ---- The whole ----

static char *copy_text(const char *text) {
  return text ? xstrdup(text) : NULL;
}

void judge_list_cases(struct trial *t) {
  struct verdict *v = t->v;
  v->case_count = t->ex->case_count;
  v->cases = xcalloc((size_t)v->case_count, sizeof *v->cases);
  for (int i = 0; i < v->case_count; i++) {
    struct verdict_case *c = &v->cases[i];
    c->name = xstrdup(t->ex->cases[i].name);
    c->is_hidden = t->ex->cases[i].is_hidden;
    c->release = copy_text(t->ex->cases[i].release);
    c->row = c->is_hidden ? NULL : copy_text(t->ex->cases[i].row);
    c->weight = t->ex->cases[i].weight;
    c->verdict = VERDICT_NOT_RUN;
    c->ulp = -1;
    c->kernel_us = c->mad_us = c->reference_us = c->judge_us = NAN;
  }
}

// After a loop that never ends, after an error of ours and after a dead
// server, the rest would only take time.
static bool must_stop(const struct trial *t, const struct verdict_case *c,
                      const struct verdict_diagnostic *last) {
  return (t->j->options.is_brief && c->verdict != VERDICT_PASS) ||
         c->verdict == VERDICT_TIMEOUT || c->verdict == VERDICT_ERROR ||
         c->verdict == VERDICT_COMPILE_ERROR ||
         (c->verdict == VERDICT_CRASH && last &&
          !strcmp(last->kind, err_kind(ERR_DEVICE_LOST)));
}

static bool is_right(const struct verdict *v) {
  for (int i = 0; i < v->case_count; i++)
    if (v->cases[i].verdict != VERDICT_PASS)
      return false;
  return v->verdict != VERDICT_ERROR;
}

// Only of a submission whose results are right: another's way means nothing.
static void judge_rules(struct trial *t) {
  if (!is_right(t->v) || t->j->options.skips_rules)
    return;
  if (t->ex->require_count)
    judge_requirements(t);
  if (t->v->verdict != VERDICT_ERROR && t->counted_count)
    judge_efficiency(t);
}

// Nothing is left for a case, and an earlier one has failed: that is what is
// wrong, and this one was not run.
static void forgive_cost(struct trial *t, int i) {
  if (t->v->cases[i].verdict != VERDICT_TIMEOUT ||
      t->charged.all <= most_work(t))
    return;
  for (int k = 0; k < i; k++)
    if (t->v->cases[k].verdict == VERDICT_FAIL) {
      t->v->cases[i].verdict = VERDICT_NOT_RUN;
      return;
    }
}

static void judge_cases(struct trial *t) {
  struct verdict *v = t->v;
  judge_list_cases(t);
  for (int i = 0; i < v->case_count; i++) {
    double from = clock_s();
    judge_case(t, i);
    // Only shown: no verdict depends on it.
    v->cases[i].judge_us = (clock_s() - from) * 1e6;
    const struct verdict_diagnostic *last =
        v->diagnostic_count ? &v->diagnostics[v->diagnostic_count - 1] : NULL;
    if (must_stop(t, &v->cases[i], last)) {
      forgive_cost(t, i);
      break;
    }
  }
  free(v->output);
  v->output =
      text_clean(t->output.data, t->output.len, VERDICT_OUTPUT_BYTES, 1);
  judge_explain_wrong(t);
  judge_search(t);
  judge_rules(t);
  if (t->j->gpu && !is_lua(t) && v->verdict != VERDICT_ERROR)
    judge_second_device(t);
  if (is_right(v))
    judge_orders(t);
  free(runner_take_output(t->j->checked)); // of mutants and second runs
}

static bool is_of_hidden(const struct verdict *v,
                         const struct verdict_diagnostic *d) {
  return d->order >= 0 && d->order < v->case_count &&
         v->cases[d->order].is_hidden;
}

// Does a visible case show the same mistake at the same line?
static bool is_shown(const struct verdict *v,
                     const struct verdict_diagnostic *hidden) {
  for (int i = 0; i < v->diagnostic_count; i++) {
    const struct verdict_diagnostic *d = &v->diagnostics[i];
    if (!is_of_hidden(v, d) && d->line == hidden->line &&
        !strcmp(d->code, hidden->code))
      return true;
  }
  return false;
}

// A mistake made on purpose, at a line that depends on a hidden case's data, would
// tell of them: only its kind is told.
static void hide_place(struct verdict_diagnostic *d) {
  free(d->array);
  d->array = NULL;
  d->line = d->column = 0;
  d->space = 0;
  d->access = 0;
}

// Hidden cases keep their verdict only.
static void hide(struct verdict *v) {
  for (int i = 0; i < v->diagnostic_count; i++) {
    struct verdict_diagnostic *d = &v->diagnostics[i];
    if (is_of_hidden(v, d) && !is_shown(v, d))
      hide_place(d);
  }
  for (int i = 0; i < v->case_count; i++) {
    struct verdict_case *c = &v->cases[i];
    if (!c->is_hidden)
      continue;
    free(c->mismatch.array);
    memset(&c->mismatch, 0, sizeof c->mismatch);
    c->ulp = -1;
  }
}

struct verdict *judge_run(struct judge *j, struct exercise *ex,
                          const struct source *s, const char *refused) {
  struct verdict *v =
      verdict_new(ex->name, s->name,
                  ex->kind == EXERCISE_LUA || ex->kind == EXERCISE_BATCH
                      ? "host"
                      : judge_checked_device);
  struct trial t = {.j = j,
                    .ex = ex,
                    .source = s,
                    .text = xstrdup(s->text),
                    .v = v,
                    .wrong_case = -1,
                    .output = STR_INIT,
                    .lua_output = STR_INIT};
  for (int draw = 0; draw < DRAWS; draw++) {
    struct seed seed;
    make_seed(&t, "", draw, &seed);
    seed_hex(&seed, v->seeds[draw]);
  }
  double from = clock_s();
  v->course = j->options.course ? xstrdup(j->options.course) : NULL;
  v->learner = j->options.learner ? xstrdup(j->options.learner) : NULL;
  memcpy(v->source_sha256, s->sha256, sizeof v->source_sha256);
  version_of_exercise(ex, v->exercise_version);
  if (refused) {
    v->verdict = VERDICT_COMPILE_ERROR;
    verdict_add(v, err_kind(ERR_COMPILE), "not-a-source", "%s", refused);
  } else if (ex->kind == EXERCISE_BATCH) {
    judge_script(&t);
  } else if (!judge_lacks_hardware(&t) &&
             (is_lua(&t) || judge_compile_submission(&t))) {
    judge_cases(&t);
    hide(v);
  }
  if (j->options.ranks && ex->kind != EXERCISE_BATCH)
    judge_rank(&t);
  v->judge_us = (clock_s() - from) * 1e6;
  verdict_finish(v, ex->points, efficiency_points(ex));
  free_counts(&t);
  str_free(&t.output);
  str_free(&t.lua_output);
  free(t.text);
  nvrtc_program_free(t.program);
  nvrtc_program_free(t.host_kernels);
  return v;
}

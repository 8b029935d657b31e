// SPDX-License-Identifier: Apache-2.0
// One case of a trial: its inputs and the answer, one run, and what that run says.
#include "grade/judge/judge_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/judge/cost.h"
#include "grade/judge/diagnose.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_lua.h"
#include "grade/judge/judge_requires.h"

enum { GPU_REPEATS = 20 };

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

void judge_make_seed(const struct trial *t, const char *name, int draw,
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
  judge_make_seed(t, name, JUDGE_DRAWS - 1, out);
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
    judge_make_seed(t, t->ex->cases[i].name, t->v->cases[i].draw, &p->seed);
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

struct judge_code judge_own_code(const struct trial *t) {
  return (struct judge_code){t->j->checked, t->program, &t->kernels};
}

enum err judge_launch(struct trial *t, struct judge_code c,
                      const struct problem *p, int repeats,
                      struct run_result *r, struct err_info *e) {
  t->work_limit = cost_limit(&t->charged, trial_most_work(t));
  if (trial_is_lua(t)) {
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
  // Whoever asks what results are made of has the counts by then.
  q.wants_counts = (t->ex->rule_count || t->is_counted) && !t->is_traced &&
                   c.program == t->program && c.on == t->j->checked;
  enum err err = runner_run(c.on, &q, r, e);
  run_add_work(&t->charged, &r->work);
  return err;
}

// Runs another program of the exercise (its solution, a mutant) on the same
// inputs. ERR_COMPILE and ERR_ARGUMENT speak of its text; other errors are of
// this machine. What the run came to is in `r`. One that is asked in case after case
// stays, compiled, in `*kept`, where that is not NULL.
static enum err try_other(struct trial *t, const struct judge_compile *c,
                          struct nvrtc_program **kept, const struct problem *p,
                          struct run_result *r, struct err_info *e) {
  struct nvrtc_program *program = kept ? *kept : NULL;
  char *why = NULL;
  memset(r, 0, sizeof *r);
  if (trial_is_lua(t)) {
    struct judge_lua other = {c->text, "other.lua", false};
    return judge_lua_run(t, &other, p, r, e);
  }
  enum err err = program ? ERR_OK : judge_compile(t->j, c, &program, e);
  if (!err && kept)
    *kept = program;
  struct found_kernels kernels;
  if (!err && !signature_find(t->ex, program, &kernels, &why))
    err = err_set(e, ERR_ARGUMENT, "%s", why);
  if (!err)
    err = judge_launch(t, (struct judge_code){c->on, program, &kernels}, p, 0,
                       r, e);
  free(why);
  if (!kept)
    nvrtc_program_free(program);
  return err;
}

// False where that did not run, or not to its end: what a launch that was cut
// short leaves says nothing.
bool judge_run_other(struct trial *t, const struct judge_compile *c,
                     const struct problem *p, struct run_result *r) {
  struct err_info e;
  return !try_other(t, c, NULL, p, r, &e) && r->has_data &&
         r->outcome != ERR_TIMEOUT;
}

enum err judge_run_solution(struct trial *t, const struct problem *p, bool anew,
                            struct run_result *r, struct err_info *e) {
  struct gpu_work charged = t->charged;
  uint64_t limit =
      t->work_limit; // of the submission's run, which is judged yet
  t->charged = (struct gpu_work){0};
  struct judge_compile c = {t->ex->solution, "solution.cu", t->j->checked,
                            .anew = anew};
  enum err err = try_other(t, &c, anew ? NULL : &t->solution, p, r, e);
  t->charged = charged;
  t->work_limit = limit;
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
  cost_diagnose(t->v, i, what, is_launch ? COST_OF_LAUNCH : trial_most_work(t),
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
  if (trial_is_lua(t) && r->outcome &&
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
  enum verdict_kind worst = trial_is_lua(t) ? judge_lua_notes(t, i, r)
                                            : judge_add_findings(t, i, p, r);
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

void judge_free_counts(struct trial *t) {
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
      !trial_is_lua(t))
    c->verdict = judge_debug(t, i, &p);
  if (c->verdict == VERDICT_ERROR)
    t->v->blame = t->v->blame ? t->v->blame : BLAME_MACHINE;
  else if (c->verdict != VERDICT_PASS && !c->is_hidden)
    judge_keep(t, &p, t->j->options.schedule_seed);
  run_result_free(&r);
  judge_give_problem(t, i, &p);
}

// What the last run printed; of a hidden case it may be its inputs.
static char *take_output(struct trial *t, int i) {
  char *output = trial_is_lua(t) ? str_take(&t->lua_output)
                                 : runner_take_output(t->j->checked);
  if (trial_is_lua(t))
    t->lua_output = (struct str)STR_INIT;
  if (output && !t->ex->cases[i].is_hidden)
    return output;
  free(output);
  return xstrdup("");
}

void judge_case(struct trial *t, int i) {
  struct verdict_case *c = &t->v->cases[i];
  int64_t ulp = -1;
  double error = 0;
  int draws = t->j->options.given ? 1 : JUDGE_DRAWS;
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

// ---- The verdict's cases ----

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

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
#include "base/progress.h"
#include "base/str.h"
#include "grade/input/input.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_devices.h"
#include "grade/judge/judge_efficiency.h"
#include "grade/judge/judge_hardware.h"
#include "grade/judge/judge_order.h"
#include "grade/judge/judge_rank.h"
#include "grade/judge/judge_requires.h"
#include "grade/judge/judge_script.h"
#include "grade/judge/judge_search.h"
#include "grade/judge/judge_trial.h"
#include "grade/judge/judge_wrong.h"
#include "grade/verdict/verdict.h"

const char judge_checked_device[] = "virtual:0";

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
  str_init(&j->library);
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
  str_free(&j->library);
  runner_close(j->apart);
  free(j);
}

// ---- The whole ----

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
      t->charged.all <= trial_most_work(t))
    return;
  for (int k = 0; k < i; k++)
    if (t->v->cases[k].verdict == VERDICT_FAIL) {
      t->v->cases[i].verdict = VERDICT_NOT_RUN;
      return;
    }
}

static void judge_cases(struct trial *t) {
  struct verdict *v = t->v;
  struct progress progress;
  judge_list_cases(t);
  progress_begin(&progress, "judging", v->case_count);
  progress.unit = "cases";
  for (int i = 0; i < v->case_count; i++) {
    double from = clock_s();
    progress_step(&progress, i,
                  v->cases[i].is_hidden ? "a hidden case" : v->cases[i].name);
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
  if (t->j->gpu && !trial_is_lua(t) && v->verdict != VERDICT_ERROR)
    judge_second_device(t);
  if (is_right(v))
    judge_orders(t);
  free(runner_take_output(t->j->checked)); // of mutants and second runs
  progress_end(&progress);
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
  for (int draw = 0; draw < JUDGE_DRAWS; draw++) {
    struct seed seed;
    judge_make_seed(&t, "", draw, &seed);
    seed_hex(&seed, v->seeds[draw]);
  }
  double from = clock_s(), judged_from = NAN;
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
             (trial_is_lua(&t) || judge_compile_submission(&t))) {
    judged_from = clock_s();
    judge_cases(&t);
    hide(v);
  }
  if (j->options.ranks && ex->kind != EXERCISE_BATCH)
    judge_rank(&t);
  verdict_tell_time(v, ((isnan(judged_from) ? clock_s() : judged_from) - from) *
                           1e6);
  verdict_finish(v, ex->points, efficiency_points(ex));
  judge_free_counts(&t);
  judge_free_drawn(&t);
  str_free(&t.output);
  str_free(&t.lua_output);
  free(t.text);
  nvrtc_program_free(t.program);
  nvrtc_program_free(t.solution);
  nvrtc_program_free(t.host_kernels);
  return v;
}

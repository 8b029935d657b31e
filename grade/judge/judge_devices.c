// SPDX-License-Identifier: Apache-2.0
// A second device beside the checked one, and whose fault it is where the two
// disagree.
#include "grade/judge/judge_devices.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_trial.h"

enum {
  CONFIRM_TIMES = 3, // a submission must be wrong there before it is believed
  CONFIRM_TRIES = 9
};

void judge_candidate_free(struct judge_candidate *c) {
  nvrtc_program_free(c->program);
}

char *judge_candidate_make(struct trial *t, const struct judge_compile *c,
                           struct judge_candidate *out) {
  struct err_info e = {0};
  char *why = NULL;
  *out = (struct judge_candidate){.on = c->on};
  enum err err = judge_compile(t->j, c, &out->program, &e);
  if (!err) {
    signature_find(t->ex, out->program, &out->kernels, &why);
    return why;
  }
  bool has_line =
      err == ERR_COMPILE && out->program && out->program->diagnostic_count;
  return xstrdup(has_line ? out->program->diagnostics[0].text : e.text);
}

// Is it the submission that is wrong on that device, and not the device? It is
// when it is wrong there three times and the solution, in turns with it, is
// right each time.
static bool is_surely_wrong(struct trial *t, int i,
                            const struct judge_candidate *c) {
  struct judge_candidate own;
  struct judge_compile q = {t->ex->solution, "solution.cu", c->on, false};
  struct err_info e;
  int wrong = 0;
  char *why = judge_candidate_make(t, &q, &own);
  for (int n = 0; !why && n < CONFIRM_TRIES && wrong < CONFIRM_TIMES; n++) {
    if (judge_try(t, i, &own, NULL, &e) != VERDICT_PASS)
      break;
    wrong += judge_try(t, i, c, NULL, &e) != VERDICT_PASS;
  }
  judge_candidate_free(&own);
  free(why);
  return wrong == CONFIRM_TIMES;
}

static void disagree(struct trial *t, int i,
                     const struct judge_candidate *there) {
  struct verdict *v = t->v;
  struct judge_candidate here = {t->j->checked, t->program, t->kernels};
  struct verdict_case *c = &v->cases[i];
  bool is_right_here = c->verdict == VERDICT_PASS;
  const char *kind = "wrong-result";
  if (is_surely_wrong(t, i, is_right_here ? there : &here)) {
    c->is_disputed = true;
  } else {
    v->verdict = VERDICT_ERROR;
    v->blame = BLAME_MACHINE;
    kind = err_kind(ERR_INTERNAL);
  }
  struct verdict_diagnostic *d = verdict_add(
      v, kind, "devices-disagree",
      "%s: %s on %s, %s on %s; both are kept in evidence.devices",
      c->is_hidden ? "a hidden case" : c->name, verdict_text(c->verdict),
      v->device, verdict_text(v->gpu_verdicts[i]), v->gpu);
  d->order = i;
  if (c->is_disputed)
    d->explain = xstrdup(
        "The exercise's own solution is right on both. What differs between "
        "devices must not show in the result: which thread, warp or block "
        "comes first, clocks, the number of multiprocessors, memory that "
        "nobody wrote.");
}

static void judge_cases_there(struct trial *t,
                              const struct judge_candidate *c) {
  struct verdict *v = t->v;
  for (int i = 0; i < v->case_count; i++) {
    struct err_info e = {0};
    if (v->cases[i].verdict != VERDICT_PASS && i != t->wrong_case)
      continue;
    v->gpu_verdicts[i] = judge_try(t, i, c, &v->cases[i], &e);
    if (v->gpu_verdicts[i] == VERDICT_ERROR && !is_surely_wrong(t, i, c))
      verdict_set_error(v, BLAME_MACHINE, e.code, e.text);
    else if (v->gpu_verdicts[i] != v->cases[i].verdict)
      disagree(t, i, c);
  }
}

// It compiles for the checked device and not for the other one.
static void refuse_there(struct trial *t, const char *why) {
  struct judge_candidate own;
  struct judge_compile c = {t->ex->solution, "solution.cu", t->j->gpu, false};
  char *own_why = judge_candidate_make(t, &c, &own);
  if (own_why) {
    verdict_set_error(t->v, BLAME_MACHINE, ERR_COMPILE, own_why);
  } else {
    t->v->verdict = VERDICT_FAIL;
    verdict_add(t->v, err_kind(ERR_COMPILE), "devices-disagree",
                "it compiles for %s and not for %s: %s", t->v->device,
                t->v->gpu, why);
  }
  judge_candidate_free(&own);
  free(own_why);
}

void judge_second_device(struct trial *t) {
  struct verdict *v = t->v;
  struct judge_candidate there;
  struct gpu_device_info info;
  struct err_info e = {0};
  struct judge_compile c = {t->text, source_compile_name(t->source), t->j->gpu,
                            false};
  v->gpu = xstrdup(t->j->options.gpu);
  v->gpu_verdicts = xcalloc((size_t)v->case_count, sizeof *v->gpu_verdicts);
  for (int i = 0; i < v->case_count; i++)
    v->gpu_verdicts[i] = VERDICT_NOT_RUN;
  enum err err = runner_info(t->j->gpu, &info, &e);
  if (err) {
    verdict_set_error(v, BLAME_MACHINE, err, e.text);
    return;
  }
  v->gpu_name = xstrdup(info.name);
  v->gpu_driver = xstrdup(info.driver);
  char *why = judge_candidate_make(t, &c, &there);
  if (why)
    refuse_there(t, why);
  else
    judge_cases_there(t, &there);
  free(why);
  judge_candidate_free(&there);
}

// SPDX-License-Identifier: Apache-2.0
// Timing a submission that has passed: what rank_measure() (grade/rank) launches.
//
// Theory of operation: each launch has inputs of its own draw, a module loaded
// for it, poison in its results, guard zones, a cold cache, and its results are
// compared with the reference's, as those of a case are. So a launch that is timed
// cannot be told from one that is judged, and a kernel that is right only once, or
// only where nobody looks, is found out.
#include "grade/judge/judge_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/roof.h"
#include "grade/judge/ahead.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_devices.h"
#include "grade/judge/judge_trial.h"
#include "grade/rank/rank.h"

struct ranking {
  struct trial *t;
  struct judge_candidate of[2]; // by enum rank_who
  struct nvml *nvml;            // NULL: nothing to look with
  struct ahead *ahead;
};

// ---- One launch ----

static enum err draw_problem(const void *context, int draw, struct problem *p,
                             struct err_info *e) {
  const struct ranking *k = context;
  const struct exercise_rank *what = &k->t->ex->rank;
  char name[32];
  snprintf(name, sizeof name, "rank %d", draw);
  memset(p, 0, sizeof *p);
  judge_draw_seed(k->t, name, &p->seed);
  enum err err = exercise_make_changed(k->t->ex, what->index, &what->changes,
                                       &p->seed, &p->in, e);
  if (err)
    return err;
  case_input_copy(k->t->ex, &p->in, &p->want);
  return exercise_solve(k->t->ex, &p->want, NULL, e);
}

static const char *spilled(const struct exercise *ex,
                           const struct run_result *r) {
  for (int i = 0; i < ex->param_count; i++)
    if (r->spilled_before[i] || r->spilled_behind[i] || r->was_changed[i])
      return ex->params[i].name;
  return NULL;
}

static enum rank_launch compare(const struct ranking *k,
                                const struct problem *p,
                                const struct run_result *r,
                                struct err_info *e) {
  const struct exercise *ex = k->t->ex;
  struct verdict_case seen = {0};
  const char *name = spilled(ex, r);
  if (name) {
    err_set(e, ERR_OUT_OF_BOUNDS, "it wrote beside %s, or into it", name);
    return RANK_WRONG;
  }
  if (judge_compare(ex, ex->rank.index, &p->want, r, &seen))
    return RANK_TIMED;
  const struct verdict_mismatch *m = &seen.mismatch;
  err_set(e, ERR_ARGUMENT, "%s[%zu] is %.9g, not %.9g", m->array, m->index,
          m->got, m->want);
  free(seen.mismatch.array);
  return RANK_WRONG;
}

static enum rank_launch launch(void *context, enum rank_who who, double *us,
                               struct err_info *e) {
  const struct ranking *k = context;
  const struct judge_candidate *c = &k->of[who];
  struct problem p;
  struct run_result r = {0};
  if (ahead_take(k->ahead, &p, e))
    return RANK_FAILED;
  struct run_request q = {.exercise = k->t->ex,
                          .program = c->program,
                          .kernels = &c->kernels,
                          .input = &p.in,
                          .seed = &p.seed,
                          .is_timed = true};
  enum rank_launch said = RANK_FAILED;
  // For this launch alone, so that none of the others wait for our drawing.
  enum err err = runner_take_alone(c->on, e);
  if (!err)
    err = runner_run(c->on, &q, &r, e);
  runner_give_back(c->on);
  if (!err) {
    *us = r.kernel_us;
    if (r.outcome)
      *e = r.why;
    else
      said = compare(k, &p, &r, e);
  }
  run_result_free(&r);
  return said;
}

// ---- What is beside it ----

// Where our own process is not to be seen, as in a container, the others' numbers
// are not ours to read either.
static bool look(void *context, struct nvml_look *out) {
  const struct ranking *k = context;
  if (!k->nvml)
    return false;
  int own = runner_pid(k->t->j->gpu);
  nvml_look(k->nvml, out);
  nvml_keep_slice(out, own);
  if (nvml_find_process(out, own) < 0)
    out->process_count = out->busy_count = -1;
  return true;
}

// Or one that takes its turns where we do: each launch is alone in the ranked lane,
// so what NVML saw of that process, in samples of a second or so, lay between them.
static bool is_ours(void *context, int pid) {
  const struct ranking *k = context;
  return pid == runner_pid(k->t->j->gpu) ||
         runner_shares_turns(k->t->j->gpu, pid);
}

static void open_nvml(struct ranking *k, const struct gpu_device_info *d) {
  const int64_t *a = d->attributes;
  struct err_info e;
  struct nvml_place at = {(int)a[GPU_ATTR_PCI_DOMAIN_ID],
                          (int)a[GPU_ATTR_PCI_BUS_ID],
                          (int)a[GPU_ATTR_PCI_DEVICE_ID]};
  struct rank *r = k->t->v->rank;
  bool can_tell = !d->is_checked || k->t->j->options.ranks_anything;
  if (can_tell && !nvml_open(getenv("WARPSHOP_NVML"), at, &k->nvml, &e))
    r->driver = xstrdup(nvml_driver(k->nvml));
  else
    r->driver = xstrdup(d->driver);
}

// What no launch can be faster than. 0: the exercise or the device does not say.
static double floor_us(const struct exercise_rank *what,
                       const struct gpu_device_info *d) {
  struct gpu_roof_device roof;
  gpu_roof_device(d->attributes, &roof);
  return gpu_roof_us(&roof, what->bytes, what->operations);
}

// ---- The whole ----

static enum err measure(struct ranking *k, const struct gpu_device_info *d,
                        struct err_info *e) {
  struct rank *r = k->t->v->rank;
  struct rank_source s = {.context = k,
                          .launch = launch,
                          .look = look,
                          .is_ours = is_ours,
                          .floor_us = floor_us(&k->t->ex->rank, d)};
  judge_draw_seed(k->t, "rank", &s.seed);
  r->gpu = xstrdup(d->name);
  r->timed_case = xstrdup(k->t->ex->cases[k->t->ex->rank.index].name);
  open_nvml(k, d);
  k->ahead = ahead_open(&(struct ahead_source){k->t->ex, draw_problem, k});
  enum err err = rank_measure(&s, r, e);
  ahead_close(k->ahead);
  if (k->nvml)
    nvml_close(k->nvml);
  return err;
}

// NULL, or why there is nothing to rank.
static const char *why_not(const struct trial *t) {
  const struct verdict *v = t->v;
  if (v->verdict == VERDICT_ERROR)
    return "it could not be judged";
  if (v->verdict != VERDICT_PASS || !v->case_count)
    return "it has not passed";
  for (int i = 0; i < v->case_count; i++)
    if (v->cases[i].verdict != VERDICT_PASS || v->cases[i].is_disputed)
      return "it has not passed";
  for (int i = 0; i < v->rule_count; i++)
    if (v->rules[i].kind != RULE_EFFICIENCY &&
        v->rules[i].verdict != VERDICT_PASS)
      return "it has not passed";
  if (exercise_is_lua(t->ex->kind) || !t->ex->rank.is_there)
    return "this exercise does not say what is timed (its field rank)";
  if (!t->j->gpu)
    return "it is judged without a real GPU (--device cuda:0 names one)";
  return NULL;
}

void judge_rank(struct trial *t) {
  struct ranking k = {.t = t};
  struct gpu_device_info d;
  struct err_info e = {0};
  struct judge_compile own = {t->text, "own.cu", t->j->gpu, false};
  struct judge_compile other = {t->ex->solution, "solution.cu", t->j->gpu,
                                false};
  t->v->rank = rank_new();
  const char *skipped = why_not(t);
  enum err err = skipped ? ERR_OK : runner_info(t->j->gpu, &d, &e);
  if (!skipped && !err && d.is_checked && !t->j->options.ranks_anything)
    skipped = "times on a virtual GPU say nothing of a real one";
  if (skipped) {
    rank_set(t->v->rank, RANK_SKIPPED, "%s", skipped);
    return;
  }
  char *why =
      err ? xstrdup(e.text) : judge_candidate_make(t, &own, &k.of[RANK_OWN]);
  if (!why)
    why = judge_candidate_make(t, &other, &k.of[RANK_REFERENCE]);
  if (!why && measure(&k, &d, &e))
    why = xstrdup(e.text);
  if (why)
    rank_set(t->v->rank, RANK_SKIPPED, "%s", why);
  free(why);
  judge_candidate_free(&k.of[RANK_OWN]);
  judge_candidate_free(&k.of[RANK_REFERENCE]);
}

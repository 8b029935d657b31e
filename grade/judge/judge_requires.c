// SPDX-License-Identifier: Apache-2.0
// Was a submission that is right done as the exercise requires? It runs once more,
// followed: what are its results made of? So does the solution, in the cases where
// that is what it is held against.
#include "grade/judge/judge_requires.h"

#include <stdlib.h>

#include "base/mem.h"
#include "grade/judge/judge_trial.h"
#include "grade/judge/requires.h"

static void take_launches(struct run_result *r, struct requires_case *out) {
  *out = (struct requires_case){true, r->trace_count, r->traces};
  r->traces = NULL;
  r->trace_count = 0;
}

static void free_launches(struct requires_case *c) {
  for (int i = 0; i < c->count; i++)
    free(c->launches[i].places);
  free(c->launches);
}

// It ran to its end before, so a budget that is used up now went into
// following it.
enum verdict_kind judge_untraced(struct trial *t, int i,
                                 const struct problem *p,
                                 const struct run_result *r) {
  if (r->outcome == ERR_TIMEOUT && judge_cost(t, i, r, true))
    return VERDICT_TIMEOUT;
  return judge_result(t, i, p, r);
}

// Follows the exercise's own solution; false where it does not run to its end
// so. That is the exercise's fault where its text or its work is to blame, and
// else this machine's.
static bool trace_solution(struct trial *t, const struct problem *p,
                           struct requires_case *own) {
  struct run_result r = {0};
  struct err_info e = {0};
  enum err err = judge_run_solution(t, p, false, &r, &e);
  bool runs = !err && !r.outcome;
  bool is_machines =
      err ? err != ERR_COMPILE && err != ERR_ARGUMENT
          : r.outcome == ERR_DEVICE_LOST || r.outcome == ERR_NOMEM;
  if (!runs && is_machines)
    verdict_set_error(t->v, BLAME_MACHINE, err ? err : r.outcome,
                      err ? e.text : r.why.text);
  else if (!runs)
    verdict_set_error(
        t->v, BLAME_USAGE, ERR_INTERNAL,
        "the exercise's own solution could not be followed to its "
        "end for its requirements");
  take_launches(&r, own);
  run_result_free(&r);
  return runs;
}

// The submission; false where it does not run to its end so, which its verdict says
// then, if the solution does.
static bool trace_submission(struct trial *t, int i, const struct problem *p,
                             struct requires_case *mine,
                             struct requires_case *own) {
  struct run_result r = {0};
  struct err_info e = {0};
  enum err err = judge_launch(t, judge_own_code(t), p, 0, &r, &e);
  bool runs = !err && !r.outcome;
  if (!runs && !trace_solution(t, p, own))
    ;
  else if (err)
    t->v->cases[i].verdict = judge_not_run(t, i, p, err, &e);
  else if (r.outcome)
    t->v->cases[i].verdict = judge_untraced(t, i, p, &r);
  take_launches(&r, mine);
  run_result_free(&r);
  return runs && t->v->cases[i].verdict == VERDICT_PASS;
}

// Follows the submission in case `i`, or the solution where `mine` is NULL.
static bool trace_case(struct trial *t, int i, struct requires_case *mine,
                       struct requires_case *own) {
  struct err_info e = {0};
  struct problem p;
  enum err err = judge_take_problem(t, i, &p, &e);
  if (err) {
    verdict_set_error(t->v, BLAME_USAGE, err, e.text);
    return false;
  }
  bool runs =
      mine ? trace_submission(t, i, &p, mine, own) : trace_solution(t, &p, own);
  judge_give_problem(t, i, &p);
  return runs;
}

// The solution in all cases of which nothing is known yet, or only in those that
// are open.
static bool trace_own(struct trial *t, const struct requires_case *mine,
                      struct requires_case *own, bool only_open) {
  for (int i = 0; i < t->v->case_count; i++)
    if (!own[i].is_known &&
        (!only_open || requires_are_open(t->ex, &mine[i])) &&
        !trace_case(t, i, NULL, &own[i]))
      return false;
  return true;
}

// Where launches depend on what kernels wrote, only the solution shows which ones
// there should be.
static bool trace_all(struct trial *t, struct requires_case *mine,
                      struct requires_case *own) {
  for (int i = 0; i < t->v->case_count; i++)
    if (!trace_case(t, i, &mine[i], &own[i]))
      return false;
  if (!trace_own(t, mine, own, !t->ex->most_launches))
    return false;
  return requires_are_met(t->ex, mine, own) || trace_own(t, mine, own, false);
}

void judge_requirements(struct trial *t) {
  size_t count = (size_t)t->v->case_count;
  struct requires_case *mine = xcalloc(count, sizeof *mine);
  struct requires_case *own = xcalloc(count, sizeof *own);
  t->is_traced = true;
  bool are_there = trace_all(t, mine, own);
  t->is_traced = false;
  if (are_there)
    requires_judge(t->v, t->ex, mine, own);
  for (size_t i = 0; i < count; i++) {
    free_launches(&mine[i]);
    free_launches(&own[i]);
  }
  free(mine);
  free(own);
}

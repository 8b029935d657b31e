// SPDX-License-Identifier: Apache-2.0
// The inputs that a case was judged on last, kept for the rules, which run it on
// them once more: drawing them and solving them again would give the same.
#include "grade/judge/judge_trial.h"

#include <stdlib.h>

#include "base/mem.h"

struct drawn { // of a case
  bool is_there;
  int draw;
  size_t bytes;
  struct problem p;
};

static const size_t MOST_BYTES = 64 << 20; // of all cases together

static size_t problem_bytes(const struct trial *t, const struct problem *p) {
  size_t bytes = 0;
  for (int k = 0; k < t->ex->param_count; k++)
    bytes += 2 * p->in.args[k].count * dtype_bytes(t->ex->params[k].dtype);
  return bytes;
}

static bool asks_again(const struct trial *t, int i) {
  return t->v->cases[i].verdict == VERDICT_PASS && !trial_is_lua(t) &&
         !t->j->options.skips_rules &&
         (t->ex->require_count || t->ex->rule_count);
}

static void forget(struct trial *t, struct drawn *d) {
  if (!d->is_there)
    return;
  judge_problem_free(&d->p);
  t->drawn_bytes -= d->bytes;
  d->is_there = false;
}

void judge_give_problem(struct trial *t, int i, struct problem *p) {
  size_t count = (size_t)t->v->case_count, bytes = problem_bytes(t, p);
  if (!t->drawn)
    t->drawn = xcalloc(count, sizeof *t->drawn);
  struct drawn *d = &t->drawn[i];
  forget(t, d);
  if (!asks_again(t, i) || bytes > MOST_BYTES - t->drawn_bytes) {
    judge_problem_free(p);
    return;
  }
  *d = (struct drawn){true, t->v->cases[i].draw, bytes, *p};
  t->drawn_bytes += bytes;
}

enum err judge_take_problem(struct trial *t, int i, struct problem *p,
                            struct err_info *e) {
  struct drawn *d = t->drawn ? &t->drawn[i] : NULL;
  if (!d || !d->is_there || d->draw != t->v->cases[i].draw)
    return judge_make_problem(t, i, p, NULL, e);
  *p = d->p;
  t->drawn_bytes -= d->bytes;
  d->is_there = false;
  return ERR_OK;
}

void judge_free_drawn(struct trial *t) {
  for (int i = 0; t->drawn && i < t->v->case_count; i++)
    forget(t, &t->drawn[i]);
  free(t->drawn);
}

// SPDX-License-Identifier: Apache-2.0
// A wrong result that nobody saw coming about: the mutant that gives the same,
// what it is like (resemble.h), and what unoptimised code shows.
#include "grade/judge/judge_wrong.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/judge/diagnose.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_order.h"
#include "grade/judge/judge_trial.h"
#include "grade/resemble/resemble.h"

static bool is_same_output(const struct exercise *ex,
                           const struct case_input *in,
                           const struct run_result *a,
                           const struct run_result *b) {
  for (int k = 0; k < ex->param_count; k++) {
    size_t bytes = in->args[k].count * dtype_bytes(ex->params[k].dtype);
    if (exercise_is_result(&ex->params[k]) &&
        memcmp(a->data[k], b->data[k], bytes))
      return false;
  }
  return true;
}

// A result may come about in two ways, of which the device sees something else:
// only one block's work done, or every block doing the first one's.
static bool has_same_findings(const struct run_result *a,
                              const struct run_result *b) {
  bool is_same = a->finding_count == b->finding_count;
  for (int i = 0; i < a->finding_count && is_same; i++) {
    const struct gpu_finding *f = &a->findings[i], *g = &b->findings[i];
    is_same = f->kind == g->kind && f->severity == g->severity &&
              f->at.access == g->at.access && f->count == g->count &&
              a->finding_param[i] == b->finding_param[i];
  }
  return is_same;
}

// Under the solution's name, under which `exercise test` hands it in: so it is compiled
// once for both.
static struct judge_compile compile_of(struct trial *t,
                                       const struct exercise_mutant *m) {
  return (struct judge_compile){m->source, "solution.cu", t->j->checked, false};
}

// Does mutant `m` give what the submission gave in case `i`?
static bool is_like_mutant(struct trial *t, int i,
                           const struct exercise_mutant *m) {
  struct problem p;
  struct run_result mine = {0}, other = {0};
  struct err_info e;
  if (judge_make_problem(t, i, &p, NULL, &e))
    return false;
  struct judge_compile c = compile_of(t, m);
  bool is_like = !judge_launch(t, judge_own_code(t), &p, 0, &mine, &e) &&
                 mine.has_data && mine.outcome != ERR_TIMEOUT &&
                 judge_run_other(t, &c, &p, &other) &&
                 is_same_output(t->ex, &p.in, &mine, &other) &&
                 has_same_findings(&mine, &other);
  run_result_free(&mine);
  run_result_free(&other);
  judge_problem_free(&p);
  return is_like;
}

bool judge_other_is_right(struct trial *t, const struct judge_compile *c,
                          int i) {
  struct problem p;
  struct run_result r = {0};
  struct verdict_case scratch = {0};
  struct err_info e;
  if (judge_make_problem(t, i, &p, NULL, &e))
    return false;
  bool is_right = judge_run_other(t, c, &p, &r) && !r.outcome &&
                  judge_compare(t->ex, i, &p.want, &r, &scratch);
  free(scratch.mismatch.array);
  run_result_free(&r);
  judge_problem_free(&p);
  return is_right;
}

// Is it right in case `i`, as the submission is?
static bool is_right_mutant(struct trial *t, int i,
                            const struct exercise_mutant *m) {
  struct judge_compile c = compile_of(t, m);
  return judge_other_is_right(t, &c, i);
}

// Two mistakes may give the same output for one size, or nothing but NaN, so a
// mutant must be like the submission in every case that is wrong, and right in
// every other. NULL: none is.
static const struct exercise_mutant *recognise(struct trial *t) {
  for (int k = 0; k < t->ex->mutant_count; k++) {
    const struct exercise_mutant *m = &t->ex->mutants[k];
    if (m->breaks)
      continue; // its results are right
    bool is_like = is_like_mutant(t, t->wrong_case, m);
    for (int i = 0; i < t->v->case_count && is_like; i++)
      if (i != t->wrong_case && t->v->cases[i].verdict == VERDICT_FAIL)
        is_like = is_like_mutant(t, i, m);
    for (int i = 0; i < t->v->case_count && is_like; i++)
      if (t->v->cases[i].verdict == VERDICT_PASS)
        is_like = is_right_mutant(t, i, m);
    if (is_like)
      return m;
  }
  return NULL;
}

// ---- What it is like ----

// Runs the submission in case `i`; false where that did not give data.
static bool run_again(struct trial *t, int i, bool zeroes_results,
                      struct problem *p, struct run_result *r) {
  struct err_info e;
  memset(r, 0, sizeof *r);
  if (judge_make_problem(t, i, p, NULL, &e))
    return false;
  t->zeroes_results = zeroes_results;
  bool is_done = !judge_launch(t, judge_own_code(t), p, 0, r, &e) &&
                 r->has_data && !r->outcome;
  t->zeroes_results = false;
  if (is_done)
    return true;
  run_result_free(r);
  judge_problem_free(p);
  return false;
}

// Is it right in case `i` when its results hold zeros before it begins, and has
// it written all of them when they do not? Then it uses what is in there.
static bool reads_results(struct trial *t, int i) {
  struct problem p;
  struct run_result r;
  struct verdict_case scratch = {0};
  if (!run_again(t, i, true, &p, &r))
    return false;
  bool is_right = judge_compare(t->ex, i, &p.want, &r, &scratch);
  free(scratch.mismatch.array);
  run_result_free(&r);
  judge_problem_free(&p);
  if (!is_right || !run_again(t, i, false, &p, &r))
    return false;
  for (int k = 0; k < t->ex->param_count && is_right; k++)
    is_right = t->ex->params[k].direction != PARAM_OUT ||
               !runner_count_kept(&r, k, p.in.args[k].count,
                                  dtype_bytes(t->ex->params[k].dtype));
  run_result_free(&r);
  judge_problem_free(&p);
  return is_right;
}

static bool is_wrong(const struct trial *t, int i) {
  return t->v->cases[i].verdict == VERDICT_FAIL;
}

static char *describe_reading(struct trial *t) {
  const char *name = t->v->cases[t->wrong_case].mismatch.array;
  for (int i = 0; i < t->v->case_count; i++)
    if (is_wrong(t, i) && !reads_results(t, i))
      return NULL;
  return xasprintf(
      "With zeros in %s before the launch the result is right: the "
      "kernel uses what is in %s before it has written it, and that "
      "may be anything.",
      name, name);
}

// Is it another wrong one each time?
static char *describe_order(struct trial *t) {
  if (!judge_is_by_order(t, t->wrong_case))
    return NULL;
  return xstrdup("In another order of blocks and warps other values come out: "
                 "the result depends on which thread comes first, and nothing "
                 "promises an order.");
}

// What a result is like may tell of the inputs: "the right one plus 777", of an
// n that is hidden.
static bool is_hidden_alone(const struct trial *t) {
  for (int i = 0; i < t->v->case_count; i++)
    if (is_wrong(t, i) && !t->v->cases[i].is_hidden)
      return false;
  return true;
}

// One sentence that holds for every case that is wrong; NULL: none is sure.
static char *describe_likeness(struct trial *t) {
  if (is_hidden_alone(t))
    return describe_order(t);
  struct resemble *like = resemble_new(t->ex);
  bool is_whole = true;
  for (int i = 0; i < t->v->case_count && is_whole; i++) {
    struct problem p;
    struct run_result r;
    if (!is_wrong(t, i))
      continue;
    is_whole = run_again(t, i, false, &p, &r);
    if (!is_whole)
      break;
    resemble_add(like, &t->ex->cases[i].tolerance, &p.in, &p.want, &r);
    run_result_free(&r);
    judge_problem_free(&p);
  }
  char *text = is_whole ? resemble_text(like) : NULL;
  resemble_free(like);
  if (!text && is_whole)
    text = describe_reading(t);
  return text ? text : describe_order(t);
}

// ---- Telling ----

// "got 3.5, want 3.25", "it was never written, want 3.25"
static char *describe_mismatch(const struct verdict_mismatch *m) {
  char got[DIAGNOSE_NUMBER], want[DIAGNOSE_NUMBER];
  diagnose_number(want, m->want);
  if (m->was_never_written)
    return xasprintf("it was never written, want %s", want);
  return xasprintf("got %s, want %s", diagnose_number(got, m->got), want);
}

static void add_wrong_result(struct trial *t, int i,
                             const struct exercise_mutant *mutant,
                             bool is_brief) {
  const struct verdict_case *c = &t->v->cases[i];
  const struct verdict_mismatch *m = &c->mismatch;
  char *code =
      mutant ? xasprintf("mutant-%s", mutant->name) : xstrdup("wrong-result");
  char *values = describe_mismatch(m);
  struct verdict_diagnostic *d =
      c->is_hidden
          ? verdict_add(t->v, "wrong-result", code, "a hidden case is wrong")
          : verdict_add(t->v, "wrong-result", code,
                        "%s: %zu of %zu values wrong, the first at %s[%zu]: %s",
                        c->name, m->wrong, m->count, m->array, m->index,
                        values);
  free(values);
  free(code);
  d->array = xstrdup(m->array);
  d->order = i;
  bool is_lua = exercise_is_lua(t->ex->kind); // likenesses speak of kernels
  d->explain = mutant               ? xstrdup(mutant->explain)
               : is_lua || is_brief ? NULL
                                    : describe_likeness(t);
}

void judge_explain_wrong(struct trial *t) {
  int i = t->wrong_case;
  struct problem p;
  struct run_result r;
  struct err_info e;
  if (i < 0 || t->v->verdict == VERDICT_ERROR ||
      judge_make_problem(t, i, &p, NULL, &e))
    return;
  // On one input, made small, many mistakes look alike.
  bool is_brief = t->j->options.is_brief || t->j->options.given;
  const struct exercise_mutant *mutant = is_brief ? NULL : recognise(t);
  t->v->mutant = mutant ? xstrdup(mutant->name) : NULL;
  add_wrong_result(t, i, mutant, is_brief);
  if (exercise_is_lua(t->ex->kind) || is_brief) {
    judge_problem_free(&p);
    return;
  }
  struct judge_compile c = {t->text, source_compile_name(t->source),
                            t->j->checked, true};
  t->is_explaining = true;
  if (judge_run_other(t, &c, &p, &r))
    judge_add_findings(t, i, &p, &r);
  t->is_explaining = false;
  run_result_free(&r);
  judge_problem_free(&p);
}

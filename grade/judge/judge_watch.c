// SPDX-License-Identifier: Apache-2.0
// Looks on while a program runs in every case.
#include "grade/judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/judge/judge_compile.h"
#include "grade/judge/judge_trial.h"

// What is added to a program so that it tells what it does is work, too.
enum { BUDGET_FACTOR = 32 };

static enum err compile(struct trial *t, const struct judge_watch *q,
                        struct err_info *e) {
  struct judge_compile c = {q->text, "solution.cu", t->j->checked, q->is_debug,
                            false};
  char *why = NULL;
  enum err err = judge_compile(t->j, &c, &t->program, e);
  if (err)
    return err;
  if (!signature_find(t->ex, t->program, &t->kernels, &why))
    err = err_set(e, ERR_ARGUMENT, "%s", why);
  free(why);
  return err;
}

static enum err watch_case(struct trial *t, const struct judge_watch *q, int i,
                           struct err_info *e) {
  struct problem p;
  struct run_result r = {0};
  enum err err = judge_make_problem(t, i, &p, NULL, e);
  if (err)
    return err;
  memset(&t->charged, 0, sizeof t->charged);
  err = judge_launch(t, judge_own_code(t), &p, 0, &r, e);
  bool is_lua = exercise_is_lua(t->ex->kind);
  char *output =
      is_lua ? str_take(&t->lua_output) : runner_take_output(t->j->checked);
  struct run_counts all;
  run_counts_add_up(r.counts, r.count_count, &all);
  struct judge_sight s = {output ? output : "", all.lines,
                          all.counts.line_count};
  if (!err && !r.outcome)
    q->see(q->context, i, &s);
  free(output);
  free(all.lines);
  run_result_free(&r);
  judge_problem_free(&p);
  return err;
}

enum err judge_watch(struct judge *j, struct exercise *ex,
                     const struct judge_watch *q, struct err_info *e) {
  struct source source;
  char *refused;
  uint64_t budget = ex->budget;
  source_from_text(exercise_solution_name(ex->kind), q->text, strlen(q->text),
                   &source, &refused);
  struct trial t = {.j = j,
                    .ex = ex,
                    .source = &source,
                    .text = xstrdup(q->text),
                    .v = verdict_new(ex->name, source.name, ""),
                    .is_counted = true,
                    .lua_output = STR_INIT};
  judge_list_cases(&t);
  ex->budget *= BUDGET_FACTOR;
  enum err err = exercise_is_lua(ex->kind) ? ERR_OK : compile(&t, q, e);
  for (int i = 0; i < ex->case_count && !err; i++)
    err = watch_case(&t, q, i, e);
  ex->budget = budget;
  str_free(&t.lua_output);
  verdict_free(t.v);
  nvrtc_program_free(t.program);
  nvrtc_program_free(t.host_kernels);
  free(t.text);
  free(refused);
  source_free(&source);
  return err;
}

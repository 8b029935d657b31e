// SPDX-License-Identifier: Apache-2.0
// Judging of kind lua.
#include "grade/judge_lua.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/learner/learner.h"
#include "grade/text.h"

const char *judge_lua_file(const struct trial *t) {
  const char *name = source_compile_name(t->source);
  return strlen(name) < 64 && strcmp(name, "submission.cu") ? name
                                                            : "submission.lua";
}

// ---- One run ----

static void describe(const struct exercise_param *p, const struct case_arg *a,
                     struct learner_value *v) {
  *v = (struct learner_value){
      .is_array = p->is_array,
      .dtype = p->dtype,
      .ndim = a->ndim,
      .integer = a->integer,
      .number = a->number,
  };
  snprintf(v->name, sizeof v->name, "%s", p->name);
  memcpy(v->shape, a->shape, sizeof v->shape);
  if (p->is_array && p->direction == PARAM_IN) {
    v->bytes = a->count * dtype_bytes(p->dtype);
    v->data = a->data;
  }
}

// A result becomes what the signature says, rounded once where the types differ.
static enum err take_result(const struct exercise_param *p, size_t count,
                            const struct learner_value *got, void **out) {
  *out = try_malloc(count * dtype_bytes(p->dtype));
  if (!*out)
    return ERR_NOMEM;
  if (got->data && got->dtype == p->dtype)
    memcpy(*out, got->data, count * dtype_bytes(p->dtype));
  else if (got->data)
    for (size_t i = 0; i < count; i++)
      case_store(p->dtype, *out, i, compare_element(got->dtype, got->data, i));
  else if (p->dtype == DTYPE_I64 || p->dtype == DTYPE_U64)
    memcpy(*out, &got->integer, sizeof got->integer);
  else
    case_store(p->dtype, *out, 0, got->number);
  return ERR_OK;
}

static enum err take_results(const struct exercise *ex, const struct problem *p,
                             const struct learner_answer *a,
                             struct run_result *r, struct err_info *e) {
  int n = 0;
  for (int k = 0; k < ex->param_count; k++) {
    if (!exercise_is_result(&ex->params[k]))
      continue;
    if (take_result(&ex->params[k], p->in.args[k].count, &a->results[n++],
                    &r->data[k]))
      return err_set(e, ERR_NOMEM, "no memory for a submission's results");
  }
  r->has_data = true;
  return ERR_OK;
}

static void note_end(const struct learner_answer *a, struct run_result *r) {
  static const enum err outcomes[] = {
      [LEARNER_DONE] = ERR_OK,           [LEARNER_SYNTAX] = ERR_COMPILE,
      [LEARNER_NO_ENTRY] = ERR_ARGUMENT, [LEARNER_RAISED] = ERR_ARGUMENT,
      [LEARNER_RESULT] = ERR_ARGUMENT,   [LEARNER_BUDGET] = ERR_TIMEOUT,
      [LEARNER_MEMORY] = ERR_NOMEM,      [LEARNER_DIED] = ERR_DEVICE_LOST,
  };
  r->lua_end = (int)a->end;
  r->outcome = outcomes[a->end];
  r->why.code = r->outcome;
  r->why.line = a->line;
  snprintf(r->why.text, sizeof r->why.text, "%s", a->text);
  r->work.all = a->work;
}

enum err judge_lua_run(struct trial *t, const struct judge_lua *q,
                       const struct problem *p, struct run_result *r,
                       struct err_info *e) {
  const struct exercise *ex = t->ex;
  struct learner_value in[EXERCISE_MAX_PARAMS], out[EXERCISE_MAX_PARAMS];
  struct learner_answer a;
  struct learner_request ask = {
      .text = q->text,
      .file = q->file,
      .entry = ex->kernel,
      .budget = ex->budget,
      .inputs = in,
      .results = out,
      .is_cancelled = t->j->options.is_cancelled,
      .context = t->j->options.context,
  };
  memset(r, 0, sizeof *r);
  for (int k = 0; k < ex->param_count; k++)
    describe(&ex->params[k], &p->in.args[k],
             exercise_is_result(&ex->params[k]) ? &out[ask.result_count++]
                                                : &in[ask.input_count++]);
  enum err err = learner_run(&ask, &a, e);
  if (err)
    return err;
  note_end(&a, r);
  if (q->keeps_output)
    str_add_bytes(&t->lua_output, a.output ? a.output : "", a.output_bytes);
  if (a.end == LEARNER_DONE)
    err = take_results(ex, p, &a, r, e);
  learner_answer_free(&a);
  return err;
}

// ---- How it ended ----

// The learner's words may hold a hidden case's inputs.
static char *words_of(const struct trial *t, int i,
                      const struct run_result *r) {
  if (!t->ex->cases[i].is_hidden)
    return text_clean(r->why.text, strlen(r->why.text), LEARNER_TEXT, 0);
  return xstrdup(r->lua_end == LEARNER_RAISED
                     ? "it raises an error in a hidden case"
                     : "a result is not what is asked for in a hidden case");
}

static enum verdict_kind add(struct trial *t, int i, const struct run_result *r,
                             const char *kind, const char *code,
                             const char *text, enum verdict_kind verdict) {
  struct verdict_diagnostic *d = verdict_add(t->v, kind, code, "%s", text);
  d->order = i;
  d->line = r->why.line;
  return verdict;
}

enum verdict_kind judge_lua_outcome(struct trial *t, int i,
                                    const struct run_result *r) {
  enum verdict_kind verdict;
  char *text = words_of(t, i, r), *more = NULL;
  switch (r->lua_end) {
  case LEARNER_SYNTAX:
    free(text);
    text = text_clean(r->why.text, strlen(r->why.text), LEARNER_TEXT, 0);
    verdict = add(t, i, r, "compile", "syntax", text, VERDICT_COMPILE_ERROR);
    break;
  case LEARNER_NO_ENTRY:
    more =
        xasprintf("the file must define the global function %s", t->ex->kernel);
    verdict =
        add(t, i, r, "argument", "signature", more, VERDICT_COMPILE_ERROR);
    break;
  case LEARNER_RESULT:
    verdict = add(t, i, r, "argument", "wrong-type", text, VERDICT_FAIL);
    break;
  case LEARNER_BUDGET:
    more = xasprintf("it is charged more than %.0f million units of work: Lua "
                     "instructions, and elements that functions go through",
                     (double)t->ex->budget / 1e6);
    verdict = add(t, i, r, "timeout", "cost", more, VERDICT_TIMEOUT);
    break;
  case LEARNER_MEMORY:
    verdict = add(t, i, r, "out-of-memory", "cost",
                  "it uses more memory than a submission may", VERDICT_TIMEOUT);
    break;
  case LEARNER_DIED:
    verdict =
        add(t, i, r, "crash", "crash", "its process ended", VERDICT_CRASH);
    break;
  default: verdict = add(t, i, r, "lua", "error", text, VERDICT_CRASH);
  }
  free(text);
  free(more);
  return verdict;
}

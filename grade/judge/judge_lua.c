// SPDX-License-Identifier: Apache-2.0
// Judging of kinds lua and host.
#include "grade/judge/judge_lua.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/input/input.h"
#include "grade/judge/judge_compile.h"
#include "grade/learner/learner.h"

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
  memcpy(r->lua_kind, a->kind, sizeof r->lua_kind);
  memcpy(r->lua_code, a->code, sizeof r->lua_code);
  r->has_calls = true;
  r->calls = a->calls;
  r->note_count = a->note_count;
  r->notes = xcalloc((size_t)a->note_count + 1, sizeof *r->notes);
  memcpy(r->notes, a->notes, (size_t)a->note_count * sizeof *r->notes);
}

// What the exercise's kernels are compiled to, once for a submission.
static enum err compile_kernels(struct trial *t, struct err_info *e) {
  struct judge_compile c = {t->ex->host_source, t->ex->host_file,
                            t->j->checked};
  if (!t->ex->host_source || t->host_kernels)
    return ERR_OK;
  enum err err = judge_compile(t->j, &c, &t->host_kernels, e);
  if (!err)
    return ERR_OK;
  char *why = xstrdup(e->text);
  nvrtc_program_free(t->host_kernels);
  t->host_kernels = NULL;
  err_set(e, err, "%s of the exercise: %s", t->ex->host_file, why);
  free(why);
  return err;
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
      .kernels_text = ex->host_source,
      .kernels_file = ex->host_file,
      .library = &t->j->library,
      .is_cancelled = t->j->options.is_cancelled,
      .context = t->j->options.context,
  };
  memset(r, 0, sizeof *r);
  enum err err = compile_kernels(t, e);
  if (err)
    return err;
  ask.kernels = t->host_kernels;
  if (!t->j->library.len)
    learner_write_library(&t->j->library);
  for (int k = 0; k < ex->param_count; k++)
    describe(&ex->params[k], &p->in.args[k],
             exercise_is_result(&ex->params[k]) ? &out[ask.result_count++]
                                                : &in[ask.input_count++]);
  err = learner_run(&ask, &a, e);
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

static void add(struct trial *t, int i, const struct run_result *r,
                const char *kind, const char *code, const char *text) {
  struct verdict_diagnostic *d = verdict_add(t->v, kind, code, "%s", text);
  d->order = i;
  d->line = r->why.line;
}

// ---- Calls that do not go together ----

// With names and lines that the learner's Lua may choose by a hidden case's inputs.
static char *note_text(const struct trial *t, int i,
                       const struct learner_note *n) {
  if (!t->ex->cases[i].is_hidden)
    return text_clean(n->text, strlen(n->text), LEARNER_NOTE_TEXT, 0);
  return xstrdup(
      n->kind == LEARNER_NOTE_ORDER
          ? "no order between two uses of one array, in a hidden case"
          : "a random key is used twice, in a hidden case");
}

enum verdict_kind judge_lua_notes(struct trial *t, int i,
                                  const struct run_result *r) {
  enum verdict_kind verdict = VERDICT_PASS;
  for (int k = 0; k < r->note_count; k++) {
    const struct learner_note *n = &r->notes[k];
    bool is_order = n->kind == LEARNER_NOTE_ORDER;
    const char *code = is_order ? "order" : "key-reuse";
    char *text = note_text(t, i, n);
    struct verdict_diagnostic *d = verdict_add(t->v, code, code, "%s", text);
    d->severity = is_order ? GPU_ERROR : GPU_NOTE;
    d->order = i;
    d->line = n->line;
    d->has_other = n->other_line > 0 && !t->ex->cases[i].is_hidden;
    d->other = (struct gpu_place){.line = (uint32_t)n->other_line};
    if (is_order) {
      d->explain =
          xstrdup("Which of the two comes first is luck, and so is the "
                  "result, even where it is right today.");
      verdict = VERDICT_FAIL;
    }
    free(text);
  }
  return verdict;
}

// A mistake that the device saw in a kernel: the first line says which.
static enum verdict_kind add_mistake(struct trial *t, int i,
                                     const struct run_result *r) {
  bool is_late = !strcmp(r->lua_kind, err_kind(ERR_TIMEOUT));
  char *text =
      t->ex->cases[i].is_hidden
          ? xstrdup("a kernel makes a mistake in a hidden case")
          : text_clean(r->why.text, strlen(r->why.text), LEARNER_TEXT, 1);
  char *rest = strchr(text, '\n');
  if (rest)
    *rest++ = 0;
  struct verdict_diagnostic *d =
      verdict_add(t->v, r->lua_kind, r->lua_code, "%s", text);
  d->order = i;
  d->line = r->why.line;
  d->explain = rest ? xstrdup(rest) : NULL;
  free(text);
  return is_late ? VERDICT_TIMEOUT : VERDICT_FAIL;
}

enum verdict_kind judge_lua_outcome(struct trial *t, int i,
                                    const struct run_result *r) {
  enum verdict_kind verdict;
  char *text = words_of(t, i, r), *more = NULL;
  judge_lua_notes(t, i, r);
  if (r->lua_end == LEARNER_RAISED && *r->lua_kind) {
    free(text);
    return add_mistake(t, i, r);
  }
  switch (r->lua_end) {
  case LEARNER_SYNTAX:
    free(text);
    text = text_clean(r->why.text, strlen(r->why.text), LEARNER_TEXT, 0);
    add(t, i, r, "compile", "syntax", text);
    verdict = VERDICT_COMPILE_ERROR;
    break;
  case LEARNER_NO_ENTRY:
    more =
        xasprintf("the file must define the global function %s", t->ex->kernel);
    add(t, i, r, "argument", "signature", more);
    verdict = VERDICT_COMPILE_ERROR;
    break;
  case LEARNER_RESULT:
    add(t, i, r, "argument", "wrong-type", text);
    verdict = VERDICT_FAIL;
    break;
  case LEARNER_BUDGET:
    more = xasprintf("it is charged more than %.0f million units of work: Lua "
                     "instructions, elements that functions go through, and "
                     "messages to the device",
                     (double)t->ex->budget / 1e6);
    add(t, i, r, "timeout", "cost", more);
    verdict = VERDICT_TIMEOUT;
    break;
  case LEARNER_MEMORY:
    add(t, i, r, "out-of-memory", "cost",
        "it uses more memory than a submission may");
    verdict = VERDICT_TIMEOUT;
    break;
  case LEARNER_DIED:
    add(t, i, r, "crash", "crash", "its process ended");
    verdict = VERDICT_CRASH;
    break;
  default: add(t, i, r, "lua", "error", text); verdict = VERDICT_CRASH;
  }
  free(text);
  free(more);
  return verdict;
}

// SPDX-License-Identifier: Apache-2.0
// From findings to diagnostics: the learner's own names first, then what it
// means. A hidden case shows neither sizes nor places in the grid.
#include "grade/judge/diagnose.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/finding/finding.h"
#include "grade/input/input.h"

const char *diagnose_number(char buffer[DIAGNOSE_NUMBER], double v) {
  // A count is read as one; else few digits where they say it all, enough to
  // tell floats apart otherwise.
  if (v == trunc(v) && fabs(v) < 1e15) {
    snprintf(buffer, DIAGNOSE_NUMBER, "%.0f", v);
    return buffer;
  }
  snprintf(buffer, DIAGNOSE_NUMBER, "%.6g", v);
  if (isfinite(v) && (float)strtod(buffer, NULL) != (float)v)
    snprintf(buffer, DIAGNOSE_NUMBER, "%.9g", v);
  return isnan(v) ? strcpy(buffer, "nan") : buffer;
}

// ---- The compiler ----

static char *clean(const char *text) {
  return text_clean(text, strlen(text), 1000, 0);
}

void diagnose_compile(struct verdict *v, const struct nvrtc_program *p,
                      bool warnings) {
  for (int i = 0; i < p->diagnostic_count; i++) {
    const struct nvrtc_diagnostic *n = &p->diagnostics[i];
    if (n->severity != NVRTC_ERROR && !warnings)
      continue;
    char *text = clean(n->text);
    struct verdict_diagnostic *d =
        verdict_add(v, err_kind(ERR_COMPILE), "compile", "%s", text);
    free(text);
    d->severity = (enum gpu_severity)n->severity;
    d->line = n->line;
    d->column = n->column;
    d->order = i;
    if (n->hint)
      d->explain = clean(n->hint);
    if (n->file && *n->file) {
      free(d->file);
      d->file = text_file_name(n->file);
    }
  }
}

// ---- Findings ----

static enum verdict_kind verdict_of(const struct gpu_finding *f) {
  if (f->severity != GPU_ERROR)
    return VERDICT_PASS;
  switch ((enum err)f->kind) {
  case ERR_TIMEOUT:
  case ERR_DEADLOCK: return VERDICT_TIMEOUT;
  case ERR_ASSERT:
  case ERR_TRAP: return VERDICT_CRASH;
  default: return VERDICT_FAIL;
  }
}

// What is said of one finding: its case, and the launch that it is of.
struct told {
  const struct diagnose_case *q;
  const struct gpu_finding *finding;
  const struct exercise_launch *launch;
  int array; // of the exercise; -1: none
};

static const struct exercise_kernel *kernel_of(const struct told *t) {
  return &t->q->exercise->kernels[t->launch->kernel];
}

// Parameter `i` of the kernel, as the submission calls it; the exercise's name
// where it left it out.
static const char *param_name(const struct told *t, int i) {
  const struct nvrtc_kernel *k =
      t->q->kernels ? t->q->kernels->of[t->launch->kernel] : NULL;
  const char *own = k && i < k->param_count ? k->params[i].name : NULL;
  return own ? own : kernel_of(t)->params[i].name;
}

// Within the kernel an array is the parameter that it was given to.
static const char *array_name(const struct told *t) {
  const struct exercise_kernel *k = kernel_of(t);
  for (int i = 0; i < k->param_count; i++)
    if (k->params[i].is_array && t->launch->args[i].array == t->array)
      return param_name(t, i);
  return t->q->exercise->params[t->array].name;
}

// What is known of the launch, for the words.
static void set_scene(struct finding_scene *c, struct finding_number *numbers,
                      const struct told *t) {
  const struct exercise_kernel *k = kernel_of(t);
  const uint32_t *g = t->launch->grid, *b = t->launch->block;
  *c = (struct finding_scene){
      .source = t->q->source,
      .file = t->q->file,
      .threads = (uint64_t)g[0] * g[1] * g[2] * b[0] * b[1] * b[2],
      .grid = {g[0], g[1], g[2]},
      .block = {b[0], b[1], b[2]},
      .numbers = numbers,
      .is_cooperative = t->launch->is_cooperative,
      .is_wrong = t->q->is_wrong,
  };
  if (t->array >= 0 && t->finding->base) {
    const struct exercise_param *p = &t->q->exercise->params[t->array];
    c->array = array_name(t);
    c->declared = p->declared;
    c->elem_bytes = (int64_t)dtype_bytes(p->dtype);
  }
  for (int i = 0; i < k->param_count; i++)
    if (k->params[i].direction == PARAM_VALUE &&
        dtype_kind(k->params[i].dtype) != 'f')
      numbers[c->number_count++] =
          (struct finding_number){param_name(t, i), t->launch->args[i].integer};
}

static void add_other(struct str *s, const struct gpu_place *other) {
  static const char *const verbs[] = {"uses", "reads", "writes", "updates"};
  str_addf(s, "; thread (%u,%u,%u) %s it", other->thread[0], other->thread[1],
           other->thread[2], verbs[other->access & 3]);
  if (other->line)
    str_addf(s, " in line %d", other->line);
}

static void add_size(struct str *s, const uint32_t size[3]) {
  if (size[1] == 1 && size[2] == 1)
    str_addf(s, "%u", size[0]);
  else if (size[2] == 1)
    str_addf(s, "{%u, %u}", size[0], size[1]);
  else
    str_addf(s, "{%u, %u, %u}", size[0], size[1], size[2]);
}

// Of several launches, which one it was: "; launch 3, step[{4, 256}]".
static void add_launch(struct str *s, const struct told *t) {
  if (!t->q->exercise->most_launches)
    return;
  str_addf(s, "; launch %d, %s[{", t->launch->number, kernel_of(t)->name);
  add_size(s, t->launch->grid);
  str_add(s, ", ");
  add_size(s, t->launch->block);
  str_add(s, "}]");
}

// A hidden case shows the kind alone.
static char *message_of(const struct finding_subject *w, const struct told *t,
                        bool is_hidden) {
  const struct gpu_finding *f = w->finding;
  struct str s = STR_INIT;
  if (is_hidden) {
    str_addf(&s, "%s, in a hidden case", finding_what(f));
  } else {
    finding_add_sentence(&s, w);
    str_add(&s, "; ");
    finding_add_who(&s, f);
    if (f->other.access)
      add_other(&s, &f->other);
    add_launch(&s, t);
  }
  char *text = clean(s.data);
  str_free(&s);
  return text;
}

static char *explanation_of(const struct finding_subject *w, bool is_hidden) {
  const char *advice = finding_advice(w->finding);
  struct str s = STR_INIT;
  if (!is_hidden)
    finding_add_explanation(&s, w);
  // A sentence about an array's cells does not fit a stack that overflows, and
  // what is no mistake needs none.
  else if (advice && w->finding->severity != GPU_NOTE &&
           (w->finding->kind != ERR_OUT_OF_BOUNDS || w->array[0]))
    str_add(&s, advice);
  char *text = s.len ? clean(s.data) : NULL;
  str_free(&s);
  return text;
}

// The text, cleaned and taken; NULL where there is none.
static char *take_clean(struct str *s) {
  char *text = s->len ? clean(s->data) : NULL;
  str_free(s);
  return text;
}

static void add_race(struct verdict_diagnostic *d,
                     const struct finding_subject *w) {
  struct str cell = STR_INIT, value = STR_INIT, other = STR_INIT;
  finding_add_cell(&cell, w);
  finding_add_seen(&value, w, &w->finding->at);
  finding_add_seen(&other, w, &w->finding->other);
  d->cell = take_clean(&cell);
  d->value = take_clean(&value);
  d->other_value = take_clean(&other);
  d->interval = w->finding->interval;
  d->first = w->finding->first;
}

static void add_finding(struct verdict *v, const struct told *t) {
  const struct gpu_finding *f = t->finding;
  bool is_hidden = t->q->exercise->cases[t->q->index].is_hidden;
  struct finding_number numbers[EXERCISE_MAX_PARAMS];
  struct finding_scene scene;
  struct finding_subject words;
  set_scene(&scene, numbers, t);
  finding_subject(f, &scene, &words);
  if (finding_is_moot(&words))
    return;
  char *text = message_of(&words, t, is_hidden);
  struct verdict_diagnostic *d =
      verdict_add(v, err_kind((enum err)f->kind), finding_code(f), "%s", text);
  free(text);
  d->severity = (enum gpu_severity)f->severity;
  d->line = f->at.line;
  d->column = words.column;
  d->space = (enum gpu_space)f->space;
  d->access = (enum gpu_access)f->at.access;
  d->array = words.array[0] ? clean(words.array) : NULL;
  d->explain = explanation_of(&words, is_hidden);
  d->order = t->q->index;
  if (is_hidden)
    return;
  d->has_thread = true;
  memcpy(d->block, f->at.block, sizeof d->block);
  memcpy(d->thread, f->at.thread, sizeof d->thread);
  d->has_offset = f->base != 0;
  d->offset = f->offset;
  d->count = f->count;
  d->has_other = f->other.access || f->other.line > 0;
  d->other = f->other;
  memcpy(d->size, t->launch->block, sizeof d->size);
  if (f->kind == ERR_RACE)
    add_race(d, &words);
}

enum verdict_kind diagnose_findings(struct verdict *v,
                                    const struct diagnose_case *q,
                                    const struct run_result *r) {
  enum verdict_kind worst = VERDICT_PASS;
  bool has_mistake = false;
  for (int k = 0; k < r->finding_count; k++) {
    struct told t = {q, &r->findings[k], &r->finding_launch[k],
                     r->finding_param[k]};
    add_finding(v, &t);
    enum verdict_kind one = verdict_of(&r->findings[k]);
    has_mistake |= one == VERDICT_FAIL;
    if (verdict_rank(one) > verdict_rank(worst))
      worst = one;
  }
  // Mistakes count towards the budget, so a kernel that makes millions of them
  // runs out of it: what is wrong with it is the mistake.
  return worst == VERDICT_TIMEOUT && has_mistake ? VERDICT_FAIL : worst;
}

enum verdict_kind diagnose_outcome(struct verdict *v, const struct exercise *ex,
                                   int i, const struct run_result *r) {
  struct gpu_finding f = {.kind = (int32_t)r->outcome, .severity = GPU_ERROR};
  const char *advice = finding_advice(&f);
  char *text = clean(r->why.text);
  bool is_memory = r->outcome == ERR_NOMEM; // it costs, as work does
  struct verdict_diagnostic *d = verdict_add(
      v, err_kind(r->outcome), is_memory ? "cost" : finding_code(&f), "%s",
      ex->cases[i].is_hidden ? finding_what(&f) : text);
  free(text);
  d->explain = advice ? xstrdup(advice) : NULL;
  d->order = i;
  if (r->why.file[0] && r->why.line > 0) { // what the device cannot run
    free(d->file);
    d->file = text_file_name(r->why.file);
    d->line = r->why.line;
    d->column = r->why.col;
  }
  if (r->outcome == ERR_COMPILE)
    return VERDICT_COMPILE_ERROR;
  if (is_memory)
    return VERDICT_TIMEOUT;
  return r->outcome == ERR_DEVICE_LOST ? VERDICT_CRASH : verdict_of(&f);
}

// ---- Inputs and guard zones ----

static struct verdict_diagnostic *add_spill(struct verdict *v, const char *kind,
                                            const char *code, const char *name,
                                            int i, const char *text) {
  struct verdict_diagnostic *d = verdict_add(v, kind, code, "%s", text);
  d->array = xstrdup(name);
  d->access = GPU_WRITE;
  d->space = GPU_SPACE_GLOBAL;
  d->order = i;
  return d;
}

static void add_zone(struct verdict *v, const char *name, int i,
                     uint32_t elements, const char *where, bool is_hidden) {
  char *text = is_hidden ? xasprintf("wrote %s of %s", where, name)
                         : xasprintf("wrote %u element%s %s of %s", elements,
                                     elements == 1 ? "" : "s", where, name);
  struct gpu_finding f = {.kind = ERR_OUT_OF_BOUNDS, .at.access = GPU_WRITE};
  struct verdict_diagnostic *d = add_spill(v, err_kind(ERR_OUT_OF_BOUNDS),
                                           finding_code(&f), name, i, text);
  d->explain = xstrdup(finding_advice(&f));
  free(text);
}

// A checked device has told of the write itself.
static bool was_told(const struct run_result *r, int param) {
  for (int k = 0; k < r->finding_count; k++)
    if (r->findings[k].kind == ERR_READ_ONLY && r->finding_param[k] == param)
      return true;
  return false;
}

static void add_written(struct verdict *v, const char *name, int i) {
  struct gpu_finding f = {.kind = ERR_READ_ONLY, .at.access = GPU_WRITE};
  char *text = xasprintf("%s was written; it is an input", name);
  add_spill(v, err_kind(ERR_READ_ONLY), finding_code(&f), name, i, text)
      ->explain = xstrdup(finding_advice(&f));
  free(text);
}

enum verdict_kind diagnose_spills(struct verdict *v, const struct exercise *ex,
                                  int i, const struct run_result *r) {
  int before = v->diagnostic_count;
  bool is_hidden = ex->cases[i].is_hidden;
  for (int k = 0; k < ex->param_count; k++) {
    const char *name = ex->params[k].name;
    if (r->spilled_before[k])
      add_zone(v, name, i, r->spilled_before[k], "before the start", is_hidden);
    if (r->spilled_behind[k])
      add_zone(v, name, i, r->spilled_behind[k], "past the end", is_hidden);
    if (r->was_changed[k] && !was_told(r, k))
      add_written(v, name, i);
  }
  return v->diagnostic_count > before ? VERDICT_FAIL : VERDICT_PASS;
}

// SPDX-License-Identifier: Apache-2.0
// From findings to diagnostics: the learner's own names first, then what it
// means. A hidden case shows neither sizes nor places in the grid.
#include "grade/diagnose.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/text.h"

struct meaning {
  enum err kind;
  enum gpu_access access;
  const char *code, *what, *sentence;
};

#define GPU_ACCESS_READ   GPU_READ
#define GPU_ACCESS_WRITE  GPU_WRITE
#define GPU_ACCESS_ATOMIC GPU_ATOMIC

static const struct meaning meanings[] = {
#define EXPLAIN(kind, access, code, what, sentence)                            \
  {ERR_##kind, GPU_ACCESS_##access, code, what, sentence},
#include "grade/explain.def"
#undef EXPLAIN
};

static const struct meaning *find_meaning(enum err kind,
                                          enum gpu_access access) {
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (meanings[i].kind == kind &&
        (meanings[i].access == access || meanings[i].access == GPU_ACCESS_NONE))
      return &meanings[i];
  return NULL;
}

const char *diagnose_number(char buffer[DIAGNOSE_NUMBER], double v) {
  // Few digits where they say it all, enough to tell floats apart otherwise.
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
  case ERR_UNSUPPORTED:
  case ERR_INTERNAL: return VERDICT_ERROR;
  default: return VERDICT_FAIL;
  }
}

// The name that a variable has in the source: the last name in its mangled
// form, "part" of "_ZZ9block_sumPKfPfiE4part" (Itanium C++ ABI, 5.1: <length>
// <name>, and for a second one of a function "_0" behind it).
static char *variable_name(const char *mangled) {
  if (!str_starts(mangled, "_Z"))
    return clean(mangled);
  for (const char *p = mangled + 2; *p;) {
    size_t digits = strspn(p, "0123456789");
    if (!digits) {
      p++;
      continue;
    }
    size_t n = strtoul(p, NULL, 10);
    const char *name = p + digits;
    const char *behind = n <= strlen(name) ? name + n : NULL;
    if (behind && (!*behind || *behind == '_' || !strcmp(behind, "E")))
      return text_clean(name, n, 200, 0);
    p = behind ? behind : name;
  }
  return clean(mangled);
}

// "out[4096]", "part[5] (shared)"; "" where the finding names no array.
static void add_cell(struct str *s, const struct exercise *ex,
                     const struct gpu_finding *f, int param) {
  if (param >= 0) {
    const struct exercise_param *p = &ex->params[param];
    int64_t width = (int64_t)dtype_bytes(p->dtype);
    int64_t index = (f->offset - (f->offset < 0 ? width - 1 : 0)) / width;
    str_addf(s, "%s[%" PRId64 "]", p->name, index);
  } else if (f->variable[0]) {
    char *name = variable_name(f->variable);
    str_add(s, name);
    if (f->base && f->bytes && f->offset >= 0)
      str_addf(s, "[%" PRId64 "]", f->offset / f->bytes);
    str_add(s, f->space == GPU_SPACE_SHARED ? " (shared)" : "");
    free(name);
  }
}

static void add_place(struct str *s, const struct gpu_place *at) {
  str_addf(s, "block (%u,%u,%u) thread (%u,%u,%u)", at->block[0], at->block[1],
           at->block[2], at->thread[0], at->thread[1], at->thread[2]);
}

static void add_other(struct str *s, const struct gpu_place *other) {
  static const char *const verbs[] = {"uses", "reads", "writes", "updates"};
  str_addf(s, "; thread (%u,%u,%u) %s it", other->thread[0], other->thread[1],
           other->thread[2], verbs[other->access & 3]);
  if (other->line)
    str_addf(s, " in line %d", other->line);
}

static char *message_of(const struct exercise *ex, const struct meaning *m,
                        const struct case_input *in,
                        const struct gpu_finding *f, int param,
                        bool is_hidden) {
  struct str s = STR_INIT;
  str_add(&s, m ? m->what : err_text((enum err)f->kind));
  if (is_hidden) {
    if (param >= 0)
      str_addf(&s, ": %s", ex->params[param].name);
    str_add(&s, ", in a hidden case");
    return str_take(&s);
  }
  struct str cell = STR_INIT;
  add_cell(&cell, ex, f, param);
  if (cell.len)
    str_addf(&s, ": %s", cell.data);
  str_free(&cell);
  if (param >= 0 && f->kind == ERR_OUT_OF_BOUNDS)
    str_addf(&s, ", %s has %zu elements", ex->params[param].name,
             in->args[param].count);
  if (f->text[0] && f->kind != ERR_TIMEOUT) {
    char *text = clean(f->text);
    str_addf(&s, ": %s", text);
    free(text);
  }
  str_add(&s, "; ");
  add_place(&s, &f->at);
  if (f->count > 1)
    str_addf(&s, " and %u more thread%s", f->count - 1,
             f->count > 2 ? "s" : "");
  if (f->other.access)
    add_other(&s, &f->other);
  return str_take(&s);
}

static void add_finding(struct verdict *v, const struct exercise *ex, int i,
                        const struct case_input *in,
                        const struct gpu_finding *f, int param) {
  bool is_hidden = ex->cases[i].is_hidden;
  const struct meaning *m =
      find_meaning((enum err)f->kind, (enum gpu_access)f->at.access);
  char *text = message_of(ex, m, in, f, param, is_hidden);
  struct verdict_diagnostic *d = verdict_add(v, err_kind((enum err)f->kind),
                                             m ? m->code : "other", "%s", text);
  free(text);
  d->severity = (enum gpu_severity)f->severity;
  d->line = f->at.line;
  d->column = f->at.column;
  d->space = (enum gpu_space)f->space;
  d->access = (enum gpu_access)f->at.access;
  if (param >= 0)
    d->array = xstrdup(ex->params[param].name);
  else if (f->variable[0])
    d->array = variable_name(f->variable);
  // A sentence about an array's cells does not fit a stack that overflows.
  bool fits = m && (f->kind != ERR_OUT_OF_BOUNDS || d->array);
  d->explain = fits ? xstrdup(m->sentence) : NULL;
  d->order = i;
  if (is_hidden)
    return;
  d->has_thread = true;
  memcpy(d->block, f->at.block, sizeof d->block);
  memcpy(d->thread, f->at.thread, sizeof d->thread);
  d->has_offset = f->base != 0;
  d->offset = f->offset;
  d->count = f->count;
  d->has_other = f->other.access != 0;
  d->other = f->other;
}

enum verdict_kind diagnose_findings(struct verdict *v,
                                    const struct exercise *ex, int i,
                                    const struct case_input *in,
                                    const struct run_result *r) {
  enum verdict_kind worst = VERDICT_PASS;
  for (int k = 0; k < r->finding_count; k++) {
    add_finding(v, ex, i, in, &r->findings[k], r->finding_param[k]);
    enum verdict_kind one = verdict_of(&r->findings[k]);
    if (verdict_rank(one) > verdict_rank(worst))
      worst = one;
  }
  return worst;
}

enum verdict_kind diagnose_outcome(struct verdict *v, const struct exercise *ex,
                                   int i, const struct run_result *r) {
  struct gpu_finding f = {.kind = (int32_t)r->outcome, .severity = GPU_ERROR};
  const struct meaning *m = find_meaning(r->outcome, GPU_ACCESS_NONE);
  char *text = clean(r->why.text);
  struct verdict_diagnostic *d = verdict_add(
      v, err_kind(r->outcome), m ? m->code : "other", "%s",
      ex->cases[i].is_hidden ? m ? m->what : err_text(r->outcome) : text);
  free(text);
  d->explain = m ? xstrdup(m->sentence) : NULL;
  d->order = i;
  if (r->outcome == ERR_COMPILE)
    return VERDICT_COMPILE_ERROR;
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
  const struct meaning *m = find_meaning(ERR_OUT_OF_BOUNDS, GPU_WRITE);
  struct verdict_diagnostic *d =
      add_spill(v, err_kind(ERR_OUT_OF_BOUNDS), m->code, name, i, text);
  d->explain = xstrdup(m->sentence);
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
    if (!r->was_changed[k])
      continue;
    char *text = xasprintf("%s was written; it is an input", name);
    add_spill(v, "input-written", "input-written", name, i, text)->explain =
        xstrdup("Who calls the kernel still needs its inputs: read them, and "
                "write the results elsewhere.");
    free(text);
  }
  return v->diagnostic_count > before ? VERDICT_FAIL : VERDICT_PASS;
}

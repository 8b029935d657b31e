// SPDX-License-Identifier: Apache-2.0
// What a device found, as Lua values: which launch it was, what the learner
// calls its arrays, the error and its diagnostics. gpu/finding/finding_text.c has the
// words.
#include "lua/bind/cuda/l_cuda_finding.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "gpu/finding/finding.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_module.h"

// ---- What a finding is about ----

enum { TOLD_NUMBERS = 32 };

// A finding, its words, and where they come from.
struct told {
  struct finding_subject words;
  const struct lkernel *kernel; // NULL when the launch is not remembered
  char variable[80];            // the Lua variable, or ""
  struct finding_number numbers[TOLD_NUMBERS];
};

static const struct launch_record *find_record(const struct ldevice *d,
                                               const struct gpu_finding *f) {
  const struct launch_record *r = &d->records[f->launch % LCUDA_RECORDS];
  const struct launch_record *latest = NULL;
  if (r->number == f->launch && r->kernel &&
      strcmp(lkernel_decl(r->kernel)->mangled, f->function) == 0)
    return r;
  for (int i = 0; i < LCUDA_RECORDS; i++) {
    r = &d->records[i];
    if (r->number && r->kernel &&
        strcmp(lkernel_decl(r->kernel)->mangled, f->function) == 0 &&
        (!latest || r->number > latest->number))
      latest = r;
  }
  return latest;
}

static const uint32_t type_bytes[] = {
    [NVRTC_BOOL] = 1, [NVRTC_I8] = 1,   [NVRTC_U8] = 1,     [NVRTC_I16] = 2,
    [NVRTC_U16] = 2,  [NVRTC_I32] = 4,  [NVRTC_U32] = 4,    [NVRTC_I64] = 8,
    [NVRTC_U64] = 8,  [NVRTC_F16] = 2,  [NVRTC_BF16] = 2,   [NVRTC_F32] = 4,
    [NVRTC_F64] = 8,  [NVRTC_VOID] = 0, [NVRTC_OPAQUE] = 0,
};

uint32_t lcuda_elem_bytes(const struct nvrtc_param *p) {
  if (p->pointer_levels > 1)
    return sizeof(gpu_ptr);
  return type_bytes[p->type] * (p->vector_lanes ? p->vector_lanes : 1);
}

static uint64_t read_param(const struct launch_record *r,
                           const struct arg_plan *plan) {
  uint64_t value = 0;
  if (plan->offset + plan->bytes <= r->param_bytes && plan->bytes <= 8)
    memcpy(&value, r->params + plan->offset, plan->bytes);
  return value;
}

// The pointer parameter through which the block at f->base was reached.
static int find_param(const struct launch_record *r,
                      const struct gpu_finding *f) {
  int found = -1;
  for (int i = 0; i < r->kernel->param_count; i++) {
    const struct arg_plan *p = &r->kernel->plan[i];
    uint64_t at = read_param(r, p);
    if (p->kind != ARG_POINTER || at < f->base ||
        at - f->base > f->base_bytes || f->base == 0)
      continue;
    bool fits = f->at.access == GPU_READ || !p->is_const;
    if (found < 0 || (fits && r->kernel->plan[found].is_const))
      found = i;
  }
  return found;
}

// The parameter that a texture or surface of that number was passed as.
static int find_object_param(const struct launch_record *r,
                             const struct gpu_finding *f) {
  for (int i = 0; i < r->kernel->param_count; i++)
    if (r->kernel->plan[i].bytes == 8 && f->address &&
        read_param(r, &r->kernel->plan[i]) == f->address)
      return i;
  return -1;
}

static void name_variable(lua_State *L, struct ldevice *d,
                          const struct gpu_finding *f, struct told *s) {
  const struct device_storage *ds = f->base ? ldevice_find(d, f->base) : NULL;
  if (!ds)
    return;
  const struct storage *named = ds->stands_for ? ds->stands_for
                                : ds->twin_of  ? ds->twin_of
                                               : &ds->base;
  if (!array_variable_name(L, named, s->variable, sizeof s->variable))
    s->variable[0] = 0;
}

// The integers of the launch, for the guard that compares with one.
static int read_numbers(const struct launch_record *r,
                        struct finding_number *out) {
  const struct nvrtc_kernel *decl = lkernel_decl(r->kernel);
  int count = 0;
  for (int i = 0; i < r->kernel->param_count && count < TOLD_NUMBERS; i++) {
    const struct arg_plan *p = &r->kernel->plan[i];
    if ((p->kind != ARG_INT && p->kind != ARG_UINT) || !decl->params[i].name)
      continue;
    uint64_t bits = read_param(r, p);
    out[count++] = (struct finding_number){
        .name = decl->params[i].name,
        .value =
            p->bytes == 4 && p->kind == ARG_INT ? (int32_t)bits : (int64_t)bits,
    };
  }
  return count;
}

static void set_array(struct finding_scene *c, const struct launch_record *r,
                      const struct gpu_finding *f) {
  bool is_object =
      f->space == GPU_SPACE_TEXTURE || f->space == GPU_SPACE_SURFACE;
  int i = is_object ? find_object_param(r, f) : find_param(r, f);
  if (i < 0)
    return;
  const struct nvrtc_param *p = &lkernel_decl(r->kernel)->params[i];
  c->array = p->name;
  c->declared = p->declared;
  if (is_object)
    return;
  c->elem_bytes = lcuda_elem_bytes(p);
  c->start = (int64_t)(read_param(r, &r->kernel->plan[i]) - f->base);
}

static void tell(lua_State *L, struct ldevice *d, const struct gpu_finding *f,
                 struct told *t) {
  struct finding_scene c = {0};
  const struct launch_record *r = find_record(d, f);
  memset(t, 0, sizeof *t);
  if (r) {
    const uint32_t *g = r->grid, *b = r->block;
    const struct lmodule *m = r->kernel->module;
    t->kernel = r->kernel;
    c.source = nvrtc_numbered_part(m->source, m->file);
    c.file = m->file;
    c.threads = (uint64_t)g[0] * g[1] * g[2] * b[0] * b[1] * b[2];
    memcpy(c.grid, g, sizeof c.grid);
    memcpy(c.block, b, sizeof c.block);
  }
  if (!f->variable[0] && f->space != GPU_SPACE_SHARED &&
      f->space != GPU_SPACE_LOCAL)
    name_variable(L, d, f, t);
  c.variable = t->variable[0] ? t->variable : NULL;
  if (r && r->param_bytes) {
    set_array(&c, r, f);
    c.number_count = read_numbers(r, t->numbers);
    c.numbers = t->numbers;
  }
  finding_subject(f, &c, &t->words);
}

// ---- As Lua tables ----

static void set_text(lua_State *L, const char *key, const char *text) {
  if (text && text[0])
    bind_set_text(L, key, text);
}

void lcuda_push_triple(lua_State *L, const uint32_t v[3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static void set_place(lua_State *L, const struct gpu_place *p) {
  bind_set_integer(L, "line", p->line);
  if (p->column > 0)
    bind_set_integer(L, "column", p->column);
  lcuda_push_triple(L, p->block);
  lua_setfield(L, -2, "block");
  lcuda_push_triple(L, p->thread);
  lua_setfield(L, -2, "thread");
  if (p->access != GPU_ACCESS_NONE)
    set_text(L, "access", finding_access_word(p->access));
}

static void set_other(lua_State *L, const struct gpu_place *p) {
  if (p->access == GPU_ACCESS_NONE && p->line == 0)
    return;
  lua_createtable(L, 0, 5);
  set_place(L, p);
  lua_setfield(L, -2, "other");
}

// Of a race: what both used, and for each its warp, the value that it wrote or read,
// and its line as the source has it.
static void set_side(lua_State *L, const struct finding_subject *s,
                     const struct gpu_place *p) {
  const uint32_t *b = s->scene.block, *t = p->thread;
  const char *line;
  int length;
  struct str value = STR_INIT;
  finding_add_seen(&value, s, p);
  set_text(L, "value", value.data);
  str_free(&value);
  if (b[0])
    bind_set_integer(L, "warp", (t[0] + b[0] * (t[1] + b[1] * t[2])) / 32);
  if (!finding_source_line(s, p->line, &line, &length))
    return;
  lua_pushlstring(L, line, (size_t)length);
  lua_setfield(L, -2, "text");
}

// [diagnostic]
static void set_race(lua_State *L, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  struct str cell = STR_INIT;
  if (f->kind != ERR_RACE || f->other.access == GPU_ACCESS_NONE)
    return;
  finding_add_cell(&cell, s);
  set_text(L, "cell", cell.data);
  if (f->interval)
    bind_set_integer(L, "interval", f->interval);
  if (f->first)
    bind_set_integer(L, "first", f->first);
  str_free(&cell);
  set_side(L, s, &f->at);
  lua_getfield(L, -1, "other");
  set_side(L, s, &f->other);
  lua_pop(L, 1);
}

static void set_sentences(lua_State *L, const struct finding_subject *s) {
  struct str text = STR_INIT;
  finding_add_sentence(&text, s);
  set_text(L, "message", text.data);
  str_clear(&text);
  finding_add_help(&text, s);
  set_text(L, "explain", text.data);
  str_free(&text);
}

static void push_diagnostic(lua_State *L, const struct told *t) {
  const struct finding_subject *s = &t->words;
  const struct gpu_finding *f = s->finding;
  static const char *const severities[] = {"error", "warning", "note"};
  lua_createtable(L, 0, 22); // [diagnostic]
  set_text(L, "kind", err_kind((enum err)f->kind));
  set_text(L, "severity",
           f->severity >= 0 && f->severity <= GPU_NOTE ? severities[f->severity]
                                                       : "error");
  set_text(L, "file", finding_file(f));
  set_place(L, &f->at);
  if (s->column > 0)
    bind_set_integer(L, "column", s->column);
  set_text(L, "array", s->array);
  set_text(L, "variable", t->variable);
  set_text(L, "space", finding_space_word(f->space));
  bind_set_integer(L, "offset", f->offset);
  bind_set_integer(L, "count", f->count);
  set_text(L, "function", t->kernel ? t->kernel->name : f->function);
  set_other(L, &f->other);
  set_race(L, s);
  set_text(L, "code", finding_code(f));
  lua_newtable(L);
  lua_setfield(L, -2, "stack");
  set_sentences(L, s);
}

void lcuda_push_diagnostics(lua_State *L, struct ldevice *d,
                            const struct gpu_finding *f, int count) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    struct told t;
    tell(L, d, &f[i], &t);
    push_diagnostic(L, &t);
    lua_rawseti(L, -2, i + 1);
  }
}

// ---- Said at once, where nothing fails ----

void lcuda_say_once(struct lcuda *c, bool is_warning, const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
  enum { SAID = sizeof c->said / sizeof *c->said };
  if (c->options.sandboxed || c->said_count == SAID)
    return;
  for (const char *t = text; *t; t++)
    hash = (hash ^ (uint8_t)*t) * UINT64_C(0x100000001b3);
  for (int i = 0; i < c->said_count; i++)
    if (c->said[i] == hash)
      return;
  c->said[c->said_count++] = hash;
  log_say(LOG_OF_PROGRAM | (is_warning ? LOG_WARNING : LOG_NOTE), "%s", text);
}

bool lcuda_is_moot(lua_State *L, struct ldevice *d,
                   const struct gpu_finding *f) {
  struct told t;
  tell(L, d, f, &t);
  return finding_is_moot(&t.words);
}

void lcuda_say_finding(lua_State *L, struct ldevice *d,
                       const struct gpu_finding *f) {
  struct told t;
  struct str text = STR_INIT;
  tell(L, d, f, &t);
  if (f->file[0] && f->at.line > 0)
    str_addf(&text, "%s:%d  ", finding_file(f), f->at.line);
  finding_add_sentence(&text, &t.words);
  lcuda_say_once(d->owner, f->severity == GPU_WARNING, text.data);
  str_free(&text);
}

// ---- The error ----

static void add_more(lua_State *L, struct ldevice *d, struct str *out,
                     const struct gpu_finding *f, int count) {
  enum { SHOWN = 3 };
  for (int i = 1; i < count && i <= SHOWN; i++) {
    struct told t;
    tell(L, d, &f[i], &t);
    str_addf(out, "\n  also %s:%d  ", finding_file(&f[i]), f[i].at.line);
    finding_add_sentence(out, &t.words);
    if (f[i].kind == ERR_DEADLOCK) {
      str_add(out, ": ");
      finding_add_who(out, &f[i]);
    }
  }
  if (count - 1 > SHOWN)
    str_addf(out, "\n  and %d more", count - 1 - SHOWN);
}

// Where the kernel was when the host stopped it.
static void add_stopped(lua_State *L, struct ldevice *d, struct str *out,
                        const struct gpu_finding *f, int count) {
  for (int i = 0; i < count; i++)
    if (f[i].kind == ERR_TIMEOUT && f[i].severity == GPU_NOTE) {
      struct told t;
      tell(L, d, &f[i], &t);
      str_add(out, "\n  ");
      finding_add_report(out, &t.words);
      return;
    }
}

// What is wrong before anything ran, as when a module is loaded.
static void push_place(lua_State *L, const struct err_info *e) {
  lua_createtable(L, 1, 0);
  lua_createtable(L, 0, 9); // [list, diagnostic]
  set_text(L, "kind", err_kind(e->code));
  set_text(L, "severity", "error");
  set_text(L, "code", err_kind(e->code));
  set_text(L, "file", e->file);
  bind_set_integer(L, "line", e->line);
  if (e->col > 0)
    bind_set_integer(L, "column", e->col);
  set_text(L, "message", e->text);
  lua_newtable(L);
  lua_setfield(L, -2, "stack");
  lua_rawseti(L, -2, 1);
}

static void keep_mistake(lua_State *L, struct lcuda *c,
                         const struct gpu_finding *f, const char *text) {
  struct lcuda_mistake *m = &c->mistake;
  char file[LUA_IDSIZE];
  if (m->is_there)
    return;
  m->is_there = true;
  bind_find_line(L, file, sizeof file, &m->line);
  snprintf(m->kind, sizeof m->kind, "%s", err_kind((enum err)f->kind));
  snprintf(m->code, sizeof m->code, "%s", finding_code(f));
  snprintf(m->text, sizeof m->text, "%s", text);
}

void lcuda_push_failure(lua_State *L, struct ldevice *d,
                        const struct err_info *e, const struct gpu_finding *f,
                        int count) {
  // Ctrl-C is what happened, whatever the kernel did before.
  bool is_found =
      count > 0 && f[0].severity == GPU_ERROR && e->code != ERR_CANCELLED;
  bool has_place = !is_found && e->file[0] && e->line > 0;
  struct str text = STR_INIT;
  if (is_found) {
    struct told t;
    tell(L, d, &f[0], &t);
    finding_add_report(&text, &t.words);
    add_more(L, d, &text, f, count);
    keep_mistake(L, d->owner, &f[0], text.data);
  } else {
    if (has_place)
      str_addf(&text, "%s:%d  ", e->file, e->line);
    str_add(&text, e->text[0] ? e->text : err_text(e->code));
    add_stopped(L, d, &text, f, count);
  }
  bind_push_error(L, is_found ? (enum err)f[0].kind : e->code, text.data);
  str_free(&text);
  if (has_place)
    push_place(L, e); // [error, diagnostics]
  else
    lcuda_push_diagnostics(L, d, f, count);
  lua_setfield(L, -2, "diagnostics");
}

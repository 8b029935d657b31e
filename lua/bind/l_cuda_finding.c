// SPDX-License-Identifier: Apache-2.0
// What a device found, in the learner's words: the line, the array by both its
// names, the thread, and one sentence that says what it means.
#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "lua/bind/l_cuda.h"

// The compiler may have put a folder before the name that the source was given.
static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// ---- Names of Lua variables ----

static bool holds(lua_State *L, const struct storage *s) {
  struct array *a = array_test(L, -1);
  return a && a->storage == s;
}

// Locals and upvalues of the Lua function at `ar`; pushes the array.
static bool find_in_frame(lua_State *L, lua_Debug *ar, const struct storage *s,
                          char *out, size_t bytes) {
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, ar, i)); i++) {
    if (name[0] != '(' && holds(L, s)) {
      snprintf(out, bytes, "%s", name);
      return true;
    }
    lua_pop(L, 1);
  }
  lua_getinfo(L, "f", ar); // [function]
  for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
    if (holds(L, s)) {
      snprintf(out, bytes, "%s", name);
      lua_remove(L, -2);
      return true;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return false;
}

// The alphabetically first global, so that the answer is always the same.
static bool find_in_globals(lua_State *L, const struct storage *s, char *out,
                            size_t bytes) {
  out[0] = 0;
  lua_pushglobaltable(L);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    const char *name =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (name && holds(L, s) && (!out[0] || strcmp(name, out) < 0))
      snprintf(out, bytes, "%s", name);
    lua_pop(L, 1);
  }
  if (out[0])
    lua_getfield(L, -1, out);
  else
    lua_pushnil(L);
  lua_remove(L, -2);
  if (lua_isnil(L, -1))
    lua_pop(L, 1);
  return out[0] != 0;
}

bool lcuda_push_variable(lua_State *L, const struct storage *s, char *out,
                         size_t bytes) {
  lua_Debug ar;
  luaL_checkstack(L, 8, NULL);
  for (int level = 0; level < 50 && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "S", &ar);
    if (ar.what[0] != 'C' && find_in_frame(L, &ar, s, out, bytes))
      return true;
  }
  return find_in_globals(L, s, out, bytes);
}

bool lcuda_variable_name(lua_State *L, const struct storage *s, char *out,
                         size_t bytes) {
  if (!lcuda_push_variable(L, s, out, bytes))
    return false;
  lua_pop(L, 1);
  return true;
}

// ---- What a finding is about ----

struct subject {
  const struct launch_record *record; // NULL when it is not remembered
  const struct lkernel *kernel;
  const struct nvrtc_param *param; // the pointer that was used, or NULL
  char array[64];                  // its name, or a shared variable's
  char variable[80];               // the Lua variable, or ""
  char type[64];                   // of an element, as in the source
  int64_t elem_bytes;
  int64_t elems; // of the array; -1 unknown
  int64_t index; // of the element; valid when elem_bytes > 0
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

// "float" of "const float *__restrict__".
static void element_type(const char *declared, char *out, size_t bytes) {
  static const char *const skip[] = {"const", "volatile", "__restrict__",
                                     "restrict", "__restrict"};
  size_t n = 0;
  out[0] = 0;
  for (const char *c = declared; *c;) {
    size_t len = strcspn(c, " *&");
    bool is_skipped = len == 0;
    for (size_t i = 0; i < sizeof skip / sizeof skip[0]; i++)
      is_skipped |= strlen(skip[i]) == len && strncmp(c, skip[i], len) == 0;
    if (!is_skipped && n + len + 2 < bytes)
      n += (size_t)snprintf(out + n, bytes - n, "%s%.*s", n ? " " : "",
                            (int)len, c);
    c += len ? len : 1;
  }
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

static void name_variable(lua_State *L, struct ldevice *d,
                          const struct gpu_finding *f, struct subject *s) {
  const struct device_storage *ds = f->base ? ldevice_find(d, f->base) : NULL;
  if (!ds)
    return;
  const struct storage *named = ds->stands_for ? ds->stands_for
                                : ds->twin_of  ? ds->twin_of
                                               : &ds->base;
  if (!lcuda_variable_name(L, named, s->variable, sizeof s->variable))
    s->variable[0] = 0;
}

static void name_subject(lua_State *L, struct ldevice *d,
                         const struct gpu_finding *f, struct subject *s) {
  memset(s, 0, sizeof *s);
  s->elems = -1;
  s->record = find_record(d, f);
  s->kernel = s->record ? s->record->kernel : NULL;
  if (f->variable[0]) {
    snprintf(s->array, sizeof s->array, "%s", f->variable);
    s->elem_bytes = f->bytes;
  }
  if (f->space == GPU_SPACE_SHARED || f->space == GPU_SPACE_LOCAL ||
      f->variable[0]) {
    s->index = f->bytes ? f->offset / (int64_t)f->bytes : 0;
    return;
  }
  name_variable(L, d, f, s);
  int i = s->record && s->record->param_bytes ? find_param(s->record, f) : -1;
  if (i < 0)
    return;
  s->param = &lkernel_decl(s->kernel)->params[i];
  if (s->param->name)
    snprintf(s->array, sizeof s->array, "%s", s->param->name);
  element_type(s->param->declared ? s->param->declared : "", s->type,
               sizeof s->type);
  s->elem_bytes = type_bytes[s->param->type] *
                  (s->param->vector_lanes ? s->param->vector_lanes : 1);
  if (s->param->pointer_levels > 1)
    s->elem_bytes = 8;
  if (s->elem_bytes == 0)
    return;
  int64_t start =
      (int64_t)(read_param(s->record, &s->kernel->plan[i]) - f->base);
  s->elems = ((int64_t)f->base_bytes - start) / s->elem_bytes;
  // Rounds down for accesses before the start.
  int64_t bytes = f->offset - start;
  s->index = (bytes - (bytes < 0 ? s->elem_bytes - 1 : 0)) / s->elem_bytes;
}

// ---- Sentences ----

static const char *access_word(int access) {
  switch (access) {
  case GPU_READ: return "read";
  case GPU_WRITE: return "write";
  case GPU_ATOMIC: return "atomic";
  default: return "access";
  }
}

static const char *space_word(int space) {
  static const char *const words[] = {
      [GPU_SPACE_NONE] = "",         [GPU_SPACE_GLOBAL] = "global",
      [GPU_SPACE_SHARED] = "shared", [GPU_SPACE_LOCAL] = "local",
      [GPU_SPACE_CONST] = "const",   [GPU_SPACE_PARAM] = "param",
  };
  return space >= 0 && space <= GPU_SPACE_PARAM ? words[space] : "";
}

// "out[4096]", "part[5]", or "" where there is no name.
static void add_cell(struct str *out, const struct subject *s) {
  if (s->array[0] && s->elem_bytes > 0)
    str_addf(out, "%s[%lld]", s->array, (long long)s->index);
  else if (s->array[0])
    str_add(out, s->array);
}

// "dout (float[4096])": the Lua variable, else the parameter.
static void add_whole(struct str *out, const struct gpu_finding *f,
                      const struct subject *s) {
  str_add(out, s->variable[0]                 ? s->variable
               : s->array[0]                  ? s->array
               : f->space == GPU_SPACE_SHARED ? "the block's memory"
                                              : "the nearest array");
  if (s->type[0] && s->elems >= 0)
    str_addf(out, " (%s[%lld])", s->type, (long long)s->elems);
  else if (f->base_bytes || f->space == GPU_SPACE_SHARED)
    str_addf(out, " (%s%s%llu bytes)", space_word(f->space),
             space_word(f->space)[0] ? ", " : "",
             (unsigned long long)f->base_bytes);
}

static void add_bounds(struct str *out, const struct gpu_finding *f,
                       const struct subject *s) {
  str_addf(out, "%s out of bounds: ", access_word(f->at.access));
  if (!f->base && !f->base_bytes) {
    str_addf(out,
             f->address < 4096 ? "address %llu is a null pointer"
                               : "no array is at address 0x%llx",
             (unsigned long long)f->address);
    return;
  }
  add_cell(out, s);
  if (s->array[0])
    str_add(out, ", ");
  int64_t past = f->offset + (int64_t)f->bytes - (int64_t)f->base_bytes;
  int64_t distance = f->offset < 0 ? -f->offset : past;
  str_addf(out, "%lld byte%s %s of ", (long long)distance,
           distance == 1 ? "" : "s",
           f->offset < 0 ? "before the start" : "past the end");
  add_whole(out, f, s);
}

static void add_race(struct str *out, const struct gpu_finding *f,
                     const struct subject *s) {
  str_add(out, "race on ");
  add_cell(out, s);
  if (!s->array[0])
    str_addf(out, "address 0x%llx", (unsigned long long)f->address);
  str_addf(out, " (%s)", space_word(f->space));
  if (f->space == GPU_SPACE_SHARED)
    str_addf(out, " in block (%u,%u,%u)", f->at.block[0], f->at.block[1],
             f->at.block[2]);
}

// One sentence without the place.
static void add_sentence(struct str *out, const struct gpu_finding *f,
                         const struct subject *s) {
  switch (f->kind) {
  case ERR_OUT_OF_BOUNDS: add_bounds(out, f, s); return;
  case ERR_RACE: add_race(out, f, s); return;
  case ERR_USE_AFTER_FREE:
    str_addf(out, "%s after free: ", access_word(f->at.access));
    add_cell(out, s);
    str_add(out, s->array[0] ? " was freed before this launch was done"
                             : "this memory was freed");
    return;
  case ERR_MISALIGNED:
    str_addf(out, "misaligned %s of %u bytes: the address ",
             access_word(f->at.access), f->bytes);
    if (s->array[0])
      str_addf(out, "(%s + %lld bytes) ", s->array, (long long)f->offset);
    str_addf(out, "is no multiple of %u", f->bytes);
    return;
  default: str_add(out, f->text[0] ? f->text : err_text((enum err)f->kind));
  }
}

static bool source_mentions(const char *source, const char *op,
                            const char *name) {
  size_t len = strlen(name);
  for (const char *c = source; (c = strstr(c, op)); c++) {
    const char *at = c + strlen(op);
    while (*at == ' ' || *at == '=')
      at++;
    if (strncmp(at, name, len) == 0 && !isalnum((unsigned char)at[len]) &&
        at[len] != '_')
      return true;
  }
  return false;
}

// The integer parameter that the guard compares with and that is too large.
static const struct nvrtc_param *find_guard(const struct subject *s,
                                            long long *value) {
  const struct nvrtc_kernel *decl = lkernel_decl(s->kernel);
  for (int i = 0; i < s->kernel->param_count; i++) {
    const struct arg_plan *p = &s->kernel->plan[i];
    if ((p->kind != ARG_INT && p->kind != ARG_UINT) || !decl->params[i].name)
      continue;
    uint64_t bits = read_param(s->record, p);
    *value =
        p->bytes == 4 && p->kind == ARG_INT ? (int32_t)bits : (long long)bits;
    if (*value > s->elems &&
        source_mentions(s->kernel->module->source, "<", decl->params[i].name))
      return &decl->params[i];
  }
  return NULL;
}

static void explain_bounds(struct str *out, const struct subject *s) {
  long long value;
  if (!s->record || s->elems < 0 || !s->record->param_bytes)
    return;
  const struct nvrtc_param *guard = find_guard(s, &value);
  const uint32_t *g = s->record->grid, *b = s->record->block;
  unsigned long long threads =
      (unsigned long long)g[0] * g[1] * g[2] * b[0] * b[1] * b[2];
  if (guard) {
    str_addf(out,
             "The guard compares with %s, and %s says %lld: the array has "
             "%lld.",
             guard->name, guard->name, value, (long long)s->elems);
    if (s->variable[0])
      str_addf(out, " Pass #%s.", s->variable);
  } else if (threads > (unsigned long long)s->elems) {
    str_addf(out,
             "The grid has %llu threads and %s has %lld elements: those "
             "beyond need a guard, such as if (i < n).",
             threads, s->array, (long long)s->elems);
  } else if (s->elems > 0) {
    str_addf(out, "The indices of %s go from 0 to %lld.", s->array,
             (long long)s->elems - 1);
  }
}

static void add_explanation(struct str *out, const struct gpu_finding *f,
                            const struct subject *s) {
  switch (f->kind) {
  case ERR_OUT_OF_BOUNDS:
    if (f->space == GPU_SPACE_SHARED && s->kernel &&
        strstr(s->kernel->module->source, "extern __shared__"))
      str_add(out, "An extern __shared__ array has the bytes that the launch "
                   "asks for: k{grid =, block =, shared = BYTES}(...).");
    else
      explain_bounds(out, s);
    return;
  case ERR_RACE:
    str_add(out, f->space == GPU_SPACE_SHARED
                     ? "Two threads use the same cell with no barrier between "
                       "them: which goes first is luck."
                     : "Two threads use the same cell with no order between "
                       "them: which goes first is luck.");
    return;
  case ERR_BARRIER:
    str_add(out, "Every thread of the block must reach the same "
                 "__syncthreads(), so it cannot stand where only some go.");
    return;
  case ERR_MISALIGNED:
    str_add(out, "A wide access, such as a float4, needs an address that is a "
                 "multiple of its size.");
    return;
  case ERR_UNINITIALISED:
    str_add(out, "Nothing wrote this cell before it was read: device arrays "
                 "and shared memory start with whatever was there.");
    return;
  case ERR_TIMEOUT:
    str_add(out, "Look at the loop on this line: what makes it end?");
    return;
  default: return;
  }
}

// ---- The excerpt ----

// Line `line` (from 1) of the learner's source, if it is that file's.
static bool source_line(const struct gpu_finding *f, const struct subject *s,
                        int line, const char **start, int *length) {
  if (!s->kernel || line <= 0 ||
      strcmp(base_name(f->file), base_name(s->kernel->module->file)) != 0)
    return false;
  const struct lmodule *m = s->kernel->module;
  const char *c = nvrtc_numbered_part(m->source, m->file);
  for (int i = 1; i < line; i++) {
    c = strchr(c, '\n');
    if (!c++)
      return false;
  }
  *start = c;
  *length = (int)strcspn(c, "\r\n");
  return true;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Where "name[...]" stands in the line: a write looks for one that is
// assigned, a read for one that is not. Returns its length, 0 when absent.
static int find_access(const char *line, int length, const char *name,
                       bool is_write, int *column) {
  int n = (int)strlen(name), best = 0;
  for (int i = 0; n && i + n < length; i++) {
    if (strncmp(line + i, name, (size_t)n) != 0 || line[i + n] != '[' ||
        (i > 0 && is_word(line[i - 1])))
      continue;
    int end = i + n, depth = 0;
    do {
      depth += (line[end] == '[') - (line[end] == ']');
      end++;
    } while (end < length && depth > 0);
    int next = end;
    while (next < length && strchr(" +-*/|&^", line[next]))
      next++;
    bool is_assigned = next < length && line[next] == '=' &&
                       (next + 1 >= length || line[next + 1] != '=');
    if (!best || is_assigned == is_write) {
      best = end - i;
      *column = i;
      if (is_assigned == is_write)
        break;
    }
  }
  return best;
}

static void add_thread(struct str *out, const struct gpu_place *p) {
  str_addf(out, "block (%u,%u,%u) thread (%u,%u,%u)", p->block[0], p->block[1],
           p->block[2], p->thread[0], p->thread[1], p->thread[2]);
}

static void add_who(struct str *out, const struct gpu_finding *f) {
  add_thread(out, &f->at);
  if (f->count > 1)
    str_addf(out, ", and %u more thread%s", f->count - 1,
             f->count == 2 ? "" : "s");
}

static void add_excerpt(struct str *out, const struct gpu_finding *f,
                        const struct subject *s) {
  const char *line;
  int length, column = f->at.column - 1;
  if (f->at.line == 0) // a real GPU's canary: nobody knows who it was
    return;
  if (!source_line(f, s, f->at.line, &line, &length)) {
    str_add(out, "\n  ");
    add_who(out, f);
    return;
  }
  int marks =
      find_access(line, length, s->array, f->at.access == GPU_WRITE, &column);
  if (!marks && column >= 0 && column < length)
    marks = 1;
  str_addf(out, "\n%3d | %.*s\n    | ", f->at.line, length, line);
  for (int i = 0; marks && i < column; i++)
    str_add_char(out, line[i] == '\t' ? '\t' : ' ');
  for (int i = 0; i < marks; i++)
    str_add_char(out, '^');
  str_add(out, marks ? " " : "");
  add_who(out, f);
}

// Both lines of a race, each with its thread.
static void add_party(struct str *out, const struct gpu_finding *f,
                      const struct subject *s, const struct gpu_place *p,
                      const char *tail) {
  const char *line = "";
  int length = 0;
  source_line(f, s, p->line, &line, &length);
  str_addf(out, "\n%3d | %-*.*s  thread (%u,%u,%u) %ss%s", p->line, 40, length,
           line, p->thread[0], p->thread[1], p->thread[2],
           access_word(p->access), tail);
}

static void add_report(struct str *out, const struct gpu_finding *f,
                       const struct subject *s) {
  struct str why = STR_INIT;
  if (f->file[0] && f->at.line > 0)
    str_addf(out, "%s:%d  ", base_name(f->file), f->at.line);
  add_sentence(out, f, s);
  if (f->kind == ERR_RACE && f->other.access != GPU_ACCESS_NONE) {
    add_party(out, f, s, &f->at, "");
    add_party(out, f, s, &f->other, ", nothing in between");
  } else {
    add_excerpt(out, f, s);
  }
  add_explanation(&why, f, s);
  if (why.len)
    str_addf(out, "\n  %s", why.data);
  str_free(&why);
}

// ---- As Lua tables: the fields of DESIGN section 7 ----

static void set_text(lua_State *L, const char *key, const char *text) {
  if (!text || !text[0])
    return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

static void set_number(lua_State *L, const char *key, lua_Integer n) {
  lua_pushinteger(L, n);
  lua_setfield(L, -2, key);
}

static void set_triple(lua_State *L, const char *key, const uint32_t v[3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, key);
}

static void set_place(lua_State *L, const struct gpu_place *p) {
  set_number(L, "line", p->line);
  if (p->column > 0)
    set_number(L, "column", p->column);
  set_triple(L, "block", p->block);
  set_triple(L, "thread", p->thread);
  if (p->access != GPU_ACCESS_NONE)
    set_text(L, "access", access_word(p->access));
}

static void set_other(lua_State *L, const struct gpu_place *p) {
  if (p->access == GPU_ACCESS_NONE)
    return;
  lua_createtable(L, 0, 5);
  set_place(L, p);
  lua_setfield(L, -2, "other");
}

// The stable key of a mistake: "oob-write", "race-shared".
static void set_code(lua_State *L, const struct gpu_finding *f) {
  const char *access = access_word(f->at.access);
  const char *kind = err_kind((enum err)f->kind);
  if (f->kind == ERR_OUT_OF_BOUNDS)
    lua_pushfstring(L, "oob-%s", access);
  else if (f->kind == ERR_USE_AFTER_FREE || f->kind == ERR_MISALIGNED)
    lua_pushfstring(L, "%s-%s", kind, access);
  else if (f->space != GPU_SPACE_NONE)
    lua_pushfstring(L, "%s-%s", kind, space_word(f->space));
  else
    lua_pushstring(L, kind);
  lua_setfield(L, -2, "code");
}

static void set_sentences(lua_State *L, const struct gpu_finding *f,
                          const struct subject *s) {
  struct str text = STR_INIT;
  add_sentence(&text, f, s);
  set_text(L, "message", text.data);
  str_clear(&text);
  add_explanation(&text, f, s);
  set_text(L, "explain", text.data);
  str_free(&text);
}

static void push_diagnostic(lua_State *L, const struct gpu_finding *f,
                            const struct subject *s) {
  static const char *const severities[] = {"error", "warning", "note"};
  lua_createtable(L, 0, 18); // [diagnostic]
  set_text(L, "kind", err_kind((enum err)f->kind));
  set_text(L, "severity",
           f->severity >= 0 && f->severity <= GPU_NOTE ? severities[f->severity]
                                                       : "error");
  set_text(L, "file", base_name(f->file));
  set_place(L, &f->at);
  set_text(L, "array", s->array);
  set_text(L, "variable", s->variable);
  set_text(L, "space", space_word(f->space));
  set_number(L, "offset", f->offset);
  set_number(L, "count", f->count);
  set_text(L, "function", s->kernel ? s->kernel->name : f->function);
  set_other(L, &f->other);
  set_code(L, f);
  lua_newtable(L);
  lua_setfield(L, -2, "stack");
  set_sentences(L, f, s);
}

void lcuda_push_diagnostics(lua_State *L, struct ldevice *d,
                            const struct gpu_finding *f, int count) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    struct subject s;
    name_subject(L, d, &f[i], &s);
    push_diagnostic(L, &f[i], &s);
    lua_rawseti(L, -2, i + 1);
  }
}

// ---- The error ----

static void add_more(lua_State *L, struct ldevice *d, struct str *out,
                     const struct gpu_finding *f, int count) {
  enum { SHOWN = 3 };
  for (int i = 1; i < count && i <= SHOWN; i++) {
    struct subject s;
    name_subject(L, d, &f[i], &s);
    str_addf(out, "\n  also %s:%d  ", base_name(f[i].file), f[i].at.line);
    add_sentence(out, &f[i], &s);
  }
  if (count - 1 > SHOWN)
    str_addf(out, "\n  and %d more", count - 1 - SHOWN);
}

void lcuda_push_failure(lua_State *L, struct ldevice *d,
                        const struct err_info *e, const struct gpu_finding *f,
                        int count) {
  // Ctrl-C is what happened, whatever the kernel did before.
  bool is_found =
      count > 0 && f[0].severity == GPU_ERROR && e->code != ERR_CANCELLED;
  struct str text = STR_INIT;
  if (is_found) {
    struct subject s;
    name_subject(L, d, &f[0], &s);
    add_report(&text, &f[0], &s);
    add_more(L, d, &text, f, count);
  } else {
    str_add(&text, e->text[0] ? e->text : err_text(e->code));
  }
  bind_push_error(L, is_found ? (enum err)f[0].kind : e->code, text.data);
  str_free(&text);
  lcuda_push_diagnostics(L, d, f, count); // [error, diagnostics]
  lua_setfield(L, -2, "diagnostics");
}

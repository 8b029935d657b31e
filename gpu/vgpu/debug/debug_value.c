// SPDX-License-Identifier: Apache-2.0
// Source variables of a thread under the debugger: which ones a name means at
// this place, and where their values are.
#include "gpu/vgpu/debug/debug_value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/state.h"

// ---- Types of our own ----

const struct ptx_dtype vg_type_int = {PTX_D_INT, "int", 4};
const struct ptx_dtype vg_type_uint = {PTX_D_UINT, "unsigned int", 4};
const struct ptx_dtype vg_type_long = {PTX_D_INT, "long long", 8};
const struct ptx_dtype vg_type_ulong = {PTX_D_UINT, "unsigned long long", 8};
const struct ptx_dtype vg_type_float = {PTX_D_FLOAT, "float", 4};
const struct ptx_dtype vg_type_double = {PTX_D_FLOAT, "double", 8};
const struct ptx_dtype vg_type_bool = {PTX_D_BOOL, "bool", 1};
static const struct ptx_dtype char_type = {PTX_D_CHAR, "char", 1};
static const struct ptx_dtype byte_type = {PTX_D_UCHAR, "unsigned char", 1};
static const struct ptx_dtype short_type = {PTX_D_INT, "short", 2};
static const struct ptx_dtype ushort_type = {PTX_D_UINT, "unsigned short", 2};
static const struct ptx_dfield dim3_fields[] = {{"x", &vg_type_uint, 0, 0, 0},
                                                {"y", &vg_type_uint, 4, 0, 0},
                                                {"z", &vg_type_uint, 8, 0, 0}};
const struct ptx_dtype vg_type_dim3 = {PTX_D_STRUCT, "dim3", 12, NULL, 0, 3,
                                       dim3_fields,  NULL};

// ---- A view ----

enum err vg_view_open(struct vg_debug *d, const struct vg_focus *f, int level,
                      struct vg_view *out, struct err_info *e) {
  *out = (struct vg_view){.d = d, .focus = *f};
  if (!vg_debug_spot(d, f, &out->spot))
    return err_set(e, ERR_NOT_FOUND,
                   "the thread in focus does not run: it has no variables");
  for (int i = 0; i < level; i++)
    if (!vg_debug_caller(&out->spot))
      break;
  const struct vg_insn *pc = out->spot.pc;
  out->code = out->spot.frame->code;
  out->func = ptx_debug_func(d->module->ptx->debug, out->code->func);
  out->at = pc->ptx ? (int)(pc->ptx - out->code->func->code)
                    : out->code->func->code_count;
  out->at -= out->spot.is_called && out->at > 0;
  return ERR_OK;
}

// ---- Names ----

// _ZN2ns5depthE is ns::depth, _ZZ1kPfE4tile is tile: the names of variables
// that the compiler mangled. Other names stay as they are.
static void source_name(const char *mangled, char *out, size_t size) {
  const char *s = mangled;
  snprintf(out, size, "%s", mangled);
  if (!strncmp(s, "_ZZ", 3)) {
    const char *last = strrchr(s, 'E');
    while (last > s && !isdigit((unsigned char)last[1])) {
      const char *p = last - 1;
      while (p > s && *p != 'E')
        p--;
      last = p;
    }
    int n = atoi(last + 1);
    const char *name = last + 1 + strspn(last + 1, "0123456789");
    if (n > 0 && (size_t)n <= strlen(name))
      snprintf(out, size, "%.*s", n, name);
    return;
  }
  if (strncmp(s, "_ZN", 3) != 0)
    return;
  size_t used = 0;
  for (s += 3; isdigit((unsigned char)*s);) {
    int n = atoi(s);
    s += strspn(s, "0123456789");
    if (n <= 0 || (size_t)n > strlen(s) || used >= size)
      return;
    used += (size_t)snprintf(out + used, size - used, "%s%.*s",
                             used ? "::" : "", n, s);
    s += n;
  }
}

// "depth" means ns::depth, too.
static bool is_named(const char *mangled, const char *wanted) {
  char name[256];
  source_name(mangled, name, sizeof name);
  const char *last = strrchr(name, ':');
  return !strcmp(name, wanted) || (last && !strcmp(last + 1, wanted));
}

static bool is_in_scope(const struct vg_view *v, const struct ptx_dvar *x) {
  return x->from <= v->at && v->at < x->to;
}

bool vg_is_visible(const struct vg_view *v, const struct ptx_dvar *x) {
  if (!is_in_scope(v, x))
    return false;
  for (int i = 0; i < v->func->var_count; i++) {
    const struct ptx_dvar *o = &v->func->vars[i];
    if (o->depth > x->depth && is_in_scope(v, o) && !strcmp(o->name, x->name))
      return false;
  }
  return true;
}

static const struct ptx_dvar *find_local(const struct vg_view *v,
                                         const char *name) {
  for (int i = 0; v->func && i < v->func->var_count; i++)
    if (!strcmp(v->func->vars[i].name, name) &&
        vg_is_visible(v, &v->func->vars[i]))
      return &v->func->vars[i];
  return NULL;
}

// ---- Where values are ----

static uint64_t address_of(const struct vg_view *v, const struct ptx_var *x) {
  const struct vg_module *m = v->d->module;
  const struct ptx_func *f = v->code->func;
  if (x->space == PTX_SHARED)
    return VG_WINDOW(VG_SLOT_SHARED) +
           (x->is_extern ? vg_dynamic_shared_at(v->d->grid->code) : x->offset);
  if (x->space == PTX_PARAM && f->is_entry)
    return VG_WINDOW(VG_SLOT_PARAM) + x->offset;
  uint64_t frame = VG_WINDOW(VG_SLOT_LOCAL) + v->spot.frame->local_base;
  if (x->space == PTX_PARAM)
    return frame + x->offset;
  for (int i = 0; x->space == PTX_LOCAL && i < f->local_count; i++)
    if (f->locals[i] == x)
      return frame + v->code->local_at[i];
  for (int i = 0; i < m->ptx->var_count; i++)
    if (m->ptx->vars[i] == x)
      return m->var_at[i];
  return 0;
}

static uint64_t read_register(const struct vg_view *v, int reg) {
  const struct ptx_func *f = v->code->func;
  vg_place at = v->code->reg_at[reg];
  const uint8_t *row =
      (at & 3) == VG_UNIFORM
          ? vg_debug_warp(v->d, &v->focus)->uniform + (at & ~3u)
          : v->spot.frame->registers + at;
  enum ptx_type t = (enum ptx_type)f->reg_types[reg];
  uint64_t wide = 0;
  uint32_t narrow;
  if (t == PTX_PRED) {
    memcpy(&narrow, row, sizeof narrow);
    return narrow >> v->focus.lane & 1;
  }
  if (ptx_type_bytes(t) > 4) {
    memcpy(&wide, row + ptx_type_bytes(t) * v->focus.lane, sizeof wide);
    return wide;
  }
  memcpy(&narrow, row + 4 * v->focus.lane, sizeof narrow);
  return narrow;
}

static bool is_undefined(const struct vg_view *v, int reg) {
  struct vg_warp *w = vg_debug_warp(v->d, &v->focus);
  return w &&
         vg_is_undefined(w, v->spot.frame, v->code->reg_at[reg], v->focus.lane);
}

static bool writes(const struct vg_insn *i, vg_place at) {
  if (i->dst == at || i->dst2 == at)
    return true;
  bool is_store = i->ptx && i->ptx->op == PTX_OP_ST;
  for (int n = 0; i->vector && !is_store && n < i->vector->count; n++)
    if (i->vector->at[n] == at)
      return true;
  return false;
}

// The first instruction that gives the register a value.
static int first_write(const struct vg_view *v, int reg) {
  const struct vg_code *c = v->code;
  for (int n = 0; n < c->insn_count; n++)
    if (c->insns[n].ptx && writes(&c->insns[n], c->reg_at[reg]))
      return (int)(c->insns[n].ptx - c->func->code);
  return INT32_MAX;
}

// Has the thread come past the variable's declaration?
static bool is_declared(const struct vg_view *v, const struct ptx_dvar *x) {
  if (x->is_param)
    return v->at >= v->func->body;
  for (int n = x->from; n < x->to && n < v->code->func->code_count; n++)
    if (v->code->func->code[n].line >= x->line)
      return v->at > n;
  return true;
}

static enum err no_value(const struct ptx_dvar *x, bool is_early,
                         struct err_info *e) {
  if (is_early)
    return err_set(e, ERR_UNINITIALISED, "%s has no value yet (line %d)",
                   x->name, x->line);
  return err_set(e, ERR_UNINITIALISED,
                 "%s has no place here: the compiler keeps it nowhere",
                 x->name);
}

static const struct ptx_dlocation *location_at(const struct vg_view *v,
                                               const struct ptx_dvar *x) {
  for (int i = 0; i < x->location_count; i++)
    if (x->locations[i].from <= v->at && v->at < x->locations[i].to)
      return &x->locations[i];
  return NULL;
}

enum err vg_read_variable(const struct vg_view *v, const struct ptx_dvar *x,
                          struct vg_value *out, struct err_info *e) {
  const struct ptx_dlocation *l = location_at(v, x);
  *out = (struct vg_value){.type = x->type};
  if (!l)
    return no_value(x, x->location_count && v->at < x->locations[0].from, e);
  if (l->kind == PTX_AT_VARIABLE) {
    bool is_local = l->var->space == PTX_LOCAL;
    if (is_local && !is_declared(v, x))
      return no_value(x, true, e);
    out->is_memory = true;
    out->address = address_of(v, l->var) + (uint64_t)l->offset;
    return ERR_OK;
  }
  if (v->at <= first_write(v, l->reg))
    return no_value(x, true, e);
  if (is_undefined(v, l->reg))
    return err_set(e, ERR_UNINITIALISED,
                   "%s has a value that nothing wrote: it is uninitialised",
                   x->name);
  uint64_t bits = read_register(v, l->reg);
  if (l->kind == PTX_AT_POINTER) {
    out->is_memory = true;
    out->address = bits + (uint64_t)l->offset;
  } else {
    memcpy(out->bytes, &bits, sizeof bits);
  }
  return ERR_OK;
}

// ---- What a name means ----

static const struct {
  const char *name;
  enum vg_special row;
} triples[] = {{"threadIdx", VG_TID_X},
               {"blockIdx", VG_CTAID_X},
               {"blockDim", VG_NTID_X},
               {"gridDim", VG_NCTAID_X}};

static bool find_built_in(const struct vg_view *v, const char *name,
                          struct vg_value *out) {
  const struct vg_warp *w = vg_debug_warp(v->d, &v->focus);
  for (size_t i = 0; w && i < sizeof triples / sizeof *triples; i++)
    if (!strcmp(name, triples[i].name)) {
      *out = (struct vg_value){.type = &vg_type_dim3};
      for (unsigned k = 0; k < 3; k++)
        memcpy(out->bytes + 4 * k,
               w->specials[triples[i].row + k] + 4 * v->focus.lane, 4);
      return true;
    }
  if (strcmp(name, "warpSize") != 0)
    return false;
  *out = (struct vg_value){.type = &vg_type_int, .bytes = {VG_LANES}};
  return true;
}

static bool find_shared(const struct vg_view *v, const char *name,
                        struct vg_value *out) {
  struct vg_shared_var s;
  for (int n = 0; vg_shared_var(v, n, &s); n++)
    if (!strcmp(s.name, name)) {
      *out = (struct vg_value){
          .type = s.type, .is_memory = true, .address = s.address};
      return true;
    }
  return false;
}

static const struct ptx_dvar *find_global(const struct vg_view *v,
                                          const char *name) {
  const struct ptx_debug *debug = v->d->module->ptx->debug;
  for (int i = 0; debug && i < debug->global_count; i++)
    if (is_named(debug->globals[i].name, name) &&
        debug->globals[i].location_count)
      return &debug->globals[i];
  return NULL;
}

bool vg_knows_variable(const struct vg_view *v, const char *name) {
  struct vg_value x;
  for (size_t i = 0; i < sizeof triples / sizeof *triples; i++)
    if (!strcmp(name, triples[i].name))
      return true;
  return !strcmp(name, "warpSize") || find_local(v, name) ||
         find_shared(v, name, &x) || find_global(v, name);
}

enum err vg_find_variable(const struct vg_view *v, const char *name,
                          struct vg_value *out, struct err_info *e) {
  const struct ptx_dvar *local = find_local(v, name);
  if (local)
    return vg_read_variable(v, local, out, e);
  if (find_built_in(v, name, out) || find_shared(v, name, out))
    return ERR_OK;
  const struct ptx_dvar *x = find_global(v, name);
  if (x) {
    *out = (struct vg_value){.type = x->type,
                             .is_memory = true,
                             .address = address_of(v, x->locations[0].var) +
                                        (uint64_t)x->locations[0].offset};
    return ERR_OK;
  }
  if (!v->func)
    return err_set(e, ERR_NOT_FOUND,
                   "this code was built without -G: it has no variables");
  return err_set(e, ERR_NOT_FOUND, "there is no variable %s here", name);
}

// ---- Shared variables ----

// The type that the source states for a shared variable (vg_declare), or the
// debugging data do.
static const struct ptx_dtype *shared_type(const struct vg_view *v,
                                           const struct ptx_var *x,
                                           const char *name) {
  for (const struct vg_declared *t = v->d->declared; t; t = t->next)
    if (!strcmp(t->name, name))
      return t->types;
  const struct ptx_debug *debug = v->d->module->ptx->debug;
  const struct ptx_dfunc *f = ptx_debug_func(debug, v->d->grid->code->func);
  for (int i = 0; f && i < f->var_count; i++)
    if (f->vars[i].location_count && f->vars[i].locations[0].var == x)
      return f->vars[i].type;
  for (int i = 0; debug && i < debug->global_count; i++)
    if (debug->globals[i].location_count &&
        debug->globals[i].locations[0].var == x)
      return debug->globals[i].type;
  return NULL;
}

static struct vg_declared *declared_new(struct vg_debug *d, const char *name) {
  struct vg_declared *t = xcalloc(1, sizeof *t);
  snprintf(t->name, sizeof t->name, "%s", name);
  t->next = d->declared;
  d->declared = t;
  return t;
}

// Kept with the declarations, under a name that no variable has.
const struct ptx_dtype *vg_pointer_type(struct vg_debug *d,
                                        const struct ptx_dtype *t) {
  for (const struct vg_declared *k = d->declared; k; k = k->next)
    if (!strcmp(k->name, "&") && k->types[0].inner == t)
      return k->types;
  struct vg_declared *k = declared_new(d, "&");
  k->types[0] = (struct ptx_dtype){
      .kind = PTX_D_POINTER, .name = "", .bytes = 8, .inner = t};
  return k->types;
}

// As many elements as there is room for.
static const struct ptx_dtype *array_of(struct vg_debug *d, const char *name,
                                        const struct ptx_dtype *element,
                                        uint64_t bytes) {
  uint64_t each = ptx_dtype_bytes(element);
  struct vg_declared *t = declared_new(d, name);
  t->types[0] = (struct ptx_dtype){.kind = PTX_D_ARRAY,
                                   .name = "",
                                   .inner = element,
                                   .count = each ? bytes / each : 0};
  return t->types;
}

static void fill_shared(const struct vg_view *v, const struct ptx_var *x,
                        struct vg_shared_var *out) {
  source_name(x->name, out->name, sizeof out->name);
  out->address = address_of(v, x);
  uint64_t at = out->address - VG_WINDOW(VG_SLOT_SHARED);
  uint64_t all = v->d->grid->shared_bytes;
  out->bytes = x->is_extern ? (at < all ? all - at : 0) : x->bytes;
  out->type = shared_type(v, x, out->name);
  const struct ptx_dtype *plain = ptx_dtype_plain(out->type);
  if (!out->type) // its element type is not known: words, or bytes
    out->type = array_of(v->d, out->name,
                         x->align % 4 ? &byte_type : &vg_type_uint, out->bytes);
  else if (plain && plain->kind == PTX_D_ARRAY && !plain->count)
    out->type = array_of(v->d, out->name, plain->inner, out->bytes);
}

bool vg_shared_var(const struct vg_view *v, int n, struct vg_shared_var *out) {
  const struct ptx_func *f = v->d->grid->code->func;
  const struct ptx_module *m = v->d->module->ptx;
  for (int i = 0; i < f->local_count + m->var_count; i++) {
    const struct ptx_var *x =
        i < f->local_count ? f->locals[i] : m->vars[i - f->local_count];
    if (x->space != PTX_SHARED || n-- > 0)
      continue;
    fill_shared(v, x, out);
    return true;
  }
  return false;
}

// ---- Declarations that the debugging data leave out ----

const struct ptx_dtype *vg_named_type(const struct vg_debug *d,
                                      const char *name) {
  static const struct {
    const char *name;
    const struct ptx_dtype *type;
  } own[] = {{"int", &vg_type_int},
             {"unsigned", &vg_type_uint},
             {"unsigned int", &vg_type_uint},
             {"long long", &vg_type_long},
             {"long", &vg_type_long},
             {"unsigned long long", &vg_type_ulong},
             {"unsigned long", &vg_type_ulong},
             {"size_t", &vg_type_ulong},
             {"float", &vg_type_float},
             {"double", &vg_type_double},
             {"bool", &vg_type_bool},
             {"char", &char_type},
             {"unsigned char", &byte_type},
             {"short", &short_type},
             {"unsigned short", &ushort_type}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (!strcmp(own[i].name, name))
      return own[i].type;
  const struct ptx_debug *debug = d->module->ptx->debug;
  for (int i = 0; debug && i < debug->type_count; i++)
    if (!strcmp(debug->types[i]->name, name))
      return debug->types[i];
  return NULL;
}

// "float[4][8]"; an empty last dimension is as large as there is room.
enum err vg_declare(struct vg_debug *d, const char *name, const char *type,
                    struct err_info *e) {
  char word[64];
  size_t n = strcspn(type, "[");
  while (n && type[n - 1] == ' ')
    n--;
  snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), type);
  const struct ptx_dtype *base = vg_named_type(d, word);
  if (!base)
    return err_set(e, ERR_NOT_FOUND, "there is no type %s", word);
  struct vg_declared *t = declared_new(d, name);
  int dims = 0;
  const char *s = strchr(type, '[');
  for (; s && *s == '[' && dims < VG_MAX_DIMS; s = strchr(s, ']') + 1) {
    t->types[dims] = (struct ptx_dtype){.kind = PTX_D_ARRAY, .name = ""};
    t->types[dims++].count = strtoull(s + 1, NULL, 0);
    if (!strchr(s, ']'))
      return err_set(e, ERR_ARGUMENT, "usage: declare NAME TYPE[N]");
  }
  for (int i = 0; i < dims; i++)
    t->types[i].inner = i + 1 < dims ? &t->types[i + 1] : base;
  if (!dims)
    t->types[0] = (struct ptx_dtype){
        .kind = PTX_D_ALIAS, .name = base->name, .inner = base};
  return ERR_OK;
}

// SPDX-License-Identifier: Apache-2.0
// From DWARF's entries to types, functions and variables. How PTX says
// that a variable is in a register: DW_OP_regx of the register's name, its
// letters as the bytes of a number (CUDA-GDB's and NVVM's convention).
//
// Types are made in two passes, entries and then their links: nested data makes
// no nested calls.
#include "gpu/ptx/ptx_dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx_dwarf_entry.h"
#include "gpu/ptx/ptx_line.h"
#include "gpu/ptx/ptx_token.h"

enum {
  MAX_LOCATIONS = 1 << 12, // of a variable
  MAX_HOPS = 64,           // of references that name each other
  // Characters of names kept, registers looked at, locations: what small data
  // could otherwise multiply without end.
  MAX_WORK = 1 << 26,
};

struct tree {
  const struct dwarf *d;
  struct dwarf_entry *entries; // by offset
  int count;
  int64_t *work_left;
};

static bool spend(const struct tree *t, size_t work) {
  *t->work_left -= (int64_t)work;
  return *t->work_left > 0;
}

static int find_entry(const struct tree *t, uint64_t at) {
  int low = 0, high = t->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (t->entries[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low < t->count && t->entries[low].at == at ? low : -1;
}

// The entry's name, or that of the declaration which it completes.
static const char *name_of(const struct tree *t, const struct dwarf_entry *e) {
  for (int hops = 0; !*e->name && e->origin && hops < MAX_HOPS; hops++) {
    int n = find_entry(t, e->origin);
    if (n < 0)
      break;
    e = &t->entries[n];
  }
  return e->name;
}

static uint64_t type_ref(const struct tree *t, const struct dwarf_entry *e) {
  for (int hops = 0; !e->type && e->origin && hops < MAX_HOPS; hops++) {
    int n = find_entry(t, e->origin);
    if (n < 0)
      break;
    e = &t->entries[n];
  }
  return e->type;
}

static const char *keep(const struct tree *t, const char *s) {
  size_t n = strlen(s);
  return n && spend(t, n) ? region_strndup(t->d->region, s, n) : "";
}

// ---- Types ----

static bool kind_of(const struct dwarf_entry *e, enum ptx_dkind *out) {
  switch (e->tag) {
  case DWARF_TAG_ARRAY: *out = PTX_D_ARRAY; return true;
  case DWARF_TAG_CLASS:
  case DWARF_TAG_STRUCT: *out = PTX_D_STRUCT; return true;
  case DWARF_TAG_UNION: *out = PTX_D_UNION; return true;
  case DWARF_TAG_ENUM: *out = PTX_D_ENUM; return true;
  case DWARF_TAG_POINTER: *out = PTX_D_POINTER; return true;
  case DWARF_TAG_REFERENCE:
  case DWARF_TAG_RVALUE_REFERENCE: *out = PTX_D_REFERENCE; return true;
  case DWARF_TAG_TYPEDEF:
  case DWARF_TAG_CONST:
  case DWARF_TAG_VOLATILE:
  case DWARF_TAG_RESTRICT: *out = PTX_D_ALIAS; return true;
  case DWARF_TAG_UNSPECIFIED: *out = PTX_D_VOID; return true;
  case DWARF_TAG_BASE: break;
  default: return false;
  }
  switch (e->encoding) { // DW_ATE_
  case 2: *out = PTX_D_BOOL; break;
  case 4: *out = PTX_D_FLOAT; break;
  case 6: *out = PTX_D_CHAR; break;
  case 8: *out = PTX_D_UCHAR; break;
  case 7:
  case 0x10: *out = PTX_D_UINT; break;
  default: *out = e->bytes ? PTX_D_INT : PTX_D_VOID; break;
  }
  return true;
}

static void make_types(const struct tree *t) {
  for (int i = 0; i < t->count; i++) {
    struct dwarf_entry *e = &t->entries[i];
    enum ptx_dkind kind;
    if (!kind_of(e, &kind))
      continue;
    e->made = region_alloc(t->d->region, sizeof *e->made);
    e->made->kind = kind;
    e->made->name = keep(t, e->name);
    e->made->bytes = e->bytes;
  }
}

static const struct ptx_dtype *type_at(const struct tree *t, uint64_t at) {
  int n = at ? find_entry(t, at) : -1;
  return n < 0 ? NULL : t->entries[n].made;
}

// DW_AT_bit_offset counts from the highest bit of a storage unit, and
// DW_AT_data_bit_offset from the lowest of the structure.
static void place_bits(const struct dwarf_entry *e, struct ptx_dfield *f) {
  f->bit_count = e->bit_size < 64 ? (uint8_t)e->bit_size : 64;
  if (e->is_data_bit) {
    f->offset = e->bit_offset / 8;
    f->bit_at = (uint16_t)(e->bit_offset % 8);
    return;
  }
  uint64_t unit = e->bytes ? e->bytes : 4;
  uint64_t high = (uint64_t)e->bit_offset + e->bit_size;
  f->bit_at = high <= unit * 8 ? (uint16_t)(unit * 8 - high) : 0;
}

static void add_member(const struct tree *t, struct list *fields,
                       const struct dwarf_entry *e) {
  struct ptx_dfield *f = list_add(fields, sizeof *f);
  f->name = keep(t, e->name);
  f->type = type_at(t, e->type);
  f->offset = e->member;
  if (e->bit_size)
    place_bits(e, f);
}

static void *keep_items(const struct tree *t, struct list *l, size_t size) {
  void *items = region_alloc(t->d->region, (size_t)l->count * size + 1);
  if (l->count)
    memcpy(items, l->items, (size_t)l->count * size);
  free(l->items);
  return items;
}

// One type for each dimension, the outermost is the entry's own.
static void fill_array(const struct tree *t, struct ptx_dtype *a,
                       const struct list *dims,
                       const struct ptx_dtype *element) {
  const uint64_t *count = dims->items;
  for (int i = 0; i < dims->count; i++) {
    a->count = count[i];
    if (i == dims->count - 1)
      break;
    struct ptx_dtype *inner = region_alloc(t->d->region, sizeof *inner);
    inner->kind = PTX_D_ARRAY;
    inner->name = "";
    a->inner = inner;
    a = inner;
  }
  a->inner = element;
}

static void fill_type(const struct tree *t, int n) {
  const struct dwarf_entry *e = &t->entries[n];
  struct ptx_dtype *made = e->made;
  struct list members = {0}, values = {0}, dims = {0};
  for (int i = n + 1; i < t->count && t->entries[i].parent >= n; i++) {
    const struct dwarf_entry *m = &t->entries[i];
    if (m->parent != n)
      continue;
    if ((m->tag == DWARF_TAG_MEMBER && !m->is_declaration) ||
        m->tag == DWARF_TAG_INHERITANCE)
      add_member(t, &members, m);
    if (m->tag == DWARF_TAG_SUBRANGE)
      *(uint64_t *)list_add(&dims, sizeof(uint64_t)) = m->count;
    if (m->tag == DWARF_TAG_ENUMERATOR)
      *(struct ptx_dvalue *)list_add(&values, sizeof(struct ptx_dvalue)) =
          (struct ptx_dvalue){keep(t, m->name), m->value};
  }
  made->inner = type_at(t, e->type);
  if (made->kind == PTX_D_ARRAY)
    fill_array(t, made, &dims, made->inner);
  free(dims.items);
  made->field_count = made->kind == PTX_D_ENUM ? values.count : members.count;
  made->fields = keep_items(t, &members, sizeof *made->fields);
  made->values = keep_items(t, &values, sizeof *made->values);
}

// ---- Places ----

// The register whose name's letters are the bytes of a number, the first one
// in the highest byte.
static int named_register(const struct tree *t, const struct ptx_func *f,
                          struct dwarf_cursor *c) {
  unsigned __int128 number = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint64_t byte = dwarf_read_int(c, 1);
    if (shift < 121)
      number |= (unsigned __int128)(byte & 0x7F) << shift;
    if (!(byte & 0x80))
      break;
  }
  char name[17];
  int n = 0;
  for (int i = 15; i >= 0; i--)
    if (n || (uint8_t)(number >> 8 * i))
      name[n++] = (char)(uint8_t)(number >> 8 * i);
  name[n] = 0;
  int stem = n;
  while (stem && name[stem - 1] >= '0' && name[stem - 1] <= '9')
    stem--;
  long index = stem < n ? strtol(name + stem, NULL, 10) : 0;
  name[stem] = 0;
  if (!f || !spend(t, (size_t)f->reg_count))
    return -1;
  for (int i = 0; i < f->reg_count; i++)
    if (!strcmp(f->reg_names[i], name)) {
      long reg = i + index;
      return reg < f->reg_count && !strcmp(f->reg_names[reg], name) ? (int)reg
                                                                    : -1;
    }
  return -1;
}

// A location of one operation, and an offset behind it.
static bool read_location(const struct tree *t, const struct ptx_func *f,
                          struct dwarf_cursor c, struct ptx_dlocation *out) {
  uint64_t op = dwarf_read_int(&c, 1), address;
  out->offset = 0;
  switch (op) {
  case 0x03: // addr
    address = dwarf_read_int(&c, 8);
    if (!(address & DWARF_VARIABLE) ||
        (address & ~DWARF_VARIABLE) >= t->d->var_count)
      return false;
    out->kind = PTX_AT_VARIABLE;
    out->var = t->d->vars[address & ~DWARF_VARIABLE];
    break;
  case 0x90: // regx
    out->kind = PTX_AT_REGISTER;
    out->reg = named_register(t, f, &c);
    break;
  case 0x92: // bregx
    out->kind = PTX_AT_POINTER;
    out->reg = named_register(t, f, &c);
    out->offset = dwarf_read_sleb(&c);
    break;
  default: return false;
  }
  while (!c.is_bad && c.at < c.end) {
    op = dwarf_read_int(&c, 1);
    if (op == 0x23 && out->kind != PTX_AT_REGISTER) // plus_uconst
      out->offset += (int64_t)dwarf_read_uleb(&c);
    else if (op == 0x06 && out->kind == PTX_AT_REGISTER) // deref
      out->kind = PTX_AT_POINTER;
    else
      return false;
  }
  return !c.is_bad && (out->kind == PTX_AT_VARIABLE || out->reg >= 0);
}

// An address of this function's code; -1 for any other.
static int code_index(const struct tree *t, const struct ptx_func *f,
                      uint64_t address) {
  uint64_t number = (address & ~DWARF_CODE) >> 32;
  if (!(address & DWARF_CODE) || number >= (uint64_t)t->d->module->func_count ||
      t->d->module->funcs[number] != f)
    return -1;
  uint32_t index = (uint32_t)address;
  return index <= (uint32_t)f->code_count ? (int)index : -1;
}

static void read_loclist(const struct tree *t, const struct ptx_func *f,
                         uint64_t at, struct list *out) {
  struct dwarf_cursor c = dwarf_cursor_at(t->d->loc, at);
  while (!c.is_bad && out->count < MAX_LOCATIONS && spend(t, 64)) {
    uint64_t low = dwarf_read_int(&c, 8), high = dwarf_read_int(&c, 8);
    if (!low && !high)
      break;
    uint64_t bytes = dwarf_read_int(&c, 2);
    struct dwarf_cursor block = c;
    dwarf_skip(&c, bytes);
    block.end = c.at;
    struct ptx_dlocation l = {.from = code_index(t, f, low),
                              .to = code_index(t, f, high)};
    if (l.from >= 0 && l.to >= l.from && read_location(t, f, block, &l))
      *(struct ptx_dlocation *)list_add(out, sizeof l) = l;
  }
}

static void read_variable(const struct tree *t, const struct ptx_func *f,
                          const struct dwarf_entry *e, struct ptx_dvar *v) {
  struct list locations = {0};
  struct ptx_dlocation l = {.from = v->from, .to = v->to};
  v->name = keep(t, name_of(t, e));
  v->type = type_at(t, type_ref(t, e));
  v->is_param = e->tag == DWARF_TAG_PARAMETER;
  v->line = e->line <= INT32_MAX ? (int)e->line : 0;
  if (e->has_loclist)
    read_loclist(t, f, e->loclist, &locations);
  else if (e->location.at && read_location(t, f, e->location, &l))
    *(struct ptx_dlocation *)list_add(&locations, sizeof l) = l;
  v->location_count = locations.count;
  v->locations = keep_items(t, &locations, sizeof *v->locations);
}

// ---- Functions ----

// The instructions that a scope spans: its own, else those of `outer`.
static void scope_range(const struct tree *t, const struct ptx_func *f,
                        const struct dwarf_entry *e, int *from, int *to) {
  int low = e->has_low ? code_index(t, f, e->low) : -1;
  int high = low < 0           ? -1
             : e->is_high_size ? low + (int)(e->high & INT32_MAX)
                               : code_index(t, f, e->high);
  if (low >= 0 && high >= low && high <= f->code_count) {
    *from = low;
    *to = high;
  }
}

struct scope_at {
  int from, to, depth;
  bool is_inlined;
};

static bool is_scope(uint32_t tag) {
  return tag == DWARF_TAG_BLOCK || tag == DWARF_TAG_INLINED;
}

static bool is_variable(uint32_t tag) {
  return tag == DWARF_TAG_VARIABLE || tag == DWARF_TAG_PARAMETER;
}

static void read_function(const struct tree *t, int n, struct list *out) {
  const struct dwarf_entry *e = &t->entries[n];
  uint64_t number = (e->low & ~DWARF_CODE) >> 32;
  if (!e->has_low || !(e->low & DWARF_CODE) ||
      number >= (uint64_t)t->d->module->func_count)
    return;
  const struct ptx_func *f = t->d->module->funcs[number];
  struct list vars = {0};
  struct ptx_dfunc func = {.func = f, .name = keep(t, name_of(t, e))};
  int last = n + 1;
  while (last < t->count && t->entries[last].parent >= n)
    last++;
  struct scope_at *scopes = xcalloc((size_t)(last - n), sizeof *scopes);
  scopes[0] = (struct scope_at){0, f->code_count, 0, false};
  for (int i = n + 1; i < last; i++) {
    const struct dwarf_entry *k = &t->entries[i];
    struct scope_at *own = &scopes[i - n];
    *own = scopes[k->parent - n];
    if (is_scope(k->tag)) {
      own->depth++;
      own->is_inlined |= k->tag == DWARF_TAG_INLINED;
      scope_range(t, f, k, &own->from, &own->to);
      if (!func.body && k->tag == DWARF_TAG_BLOCK)
        func.body = own->from;
      if (k->tag == DWARF_TAG_INLINED && k->has_low)
        *(struct inlined *)list_add(t->d->inlined, sizeof(struct inlined)) =
            (struct inlined){f, own->from, own->to, k->call_file, k->call_line};
    }
    if (!is_variable(k->tag))
      continue;
    struct ptx_dvar *v = list_add(&vars, sizeof *v);
    v->from = own->from;
    v->to = own->to;
    v->depth = own->depth;
    v->is_inlined = own->is_inlined;
    read_variable(t, f, k, v);
  }
  free(scopes);
  func.var_count = vars.count;
  func.vars = keep_items(t, &vars, sizeof *func.vars);
  *(struct ptx_dfunc *)list_add(out, sizeof func) = func;
}

static bool is_inside_function(const struct tree *t,
                               const struct dwarf_entry *e) {
  for (int n = e->parent; n >= 0; n = t->entries[n].parent)
    if (t->entries[n].tag == DWARF_TAG_SUBPROGRAM)
      return true;
  return false;
}

static struct ptx_debug *read_tree(const struct tree *t) {
  struct ptx_debug *debug = region_alloc(t->d->region, sizeof *debug);
  struct list funcs = {0}, globals = {0}, types = {0};
  make_types(t);
  for (int i = 0; i < t->count; i++) {
    const struct ptx_dtype *made = t->entries[i].made;
    if (!made)
      continue;
    fill_type(t, i);
    if (*made->name)
      *(const struct ptx_dtype **)list_add(&types, sizeof made) = made;
  }
  for (int i = 0; i < t->count; i++) {
    const struct dwarf_entry *e = &t->entries[i];
    if (e->tag == DWARF_TAG_SUBPROGRAM)
      read_function(t, i, &funcs);
    if (e->tag != DWARF_TAG_VARIABLE || !e->location.at ||
        is_inside_function(t, e))
      continue;
    struct ptx_dvar *v = list_add(&globals, sizeof *v);
    v->to = INT32_MAX;
    read_variable(t, NULL, e, v);
  }
  debug->func_count = funcs.count;
  debug->funcs = keep_items(t, &funcs, sizeof *debug->funcs);
  debug->type_count = types.count;
  debug->types = keep_items(t, &types, sizeof *debug->types);
  debug->global_count = globals.count;
  debug->globals = keep_items(t, &globals, sizeof *debug->globals);
  return debug;
}

struct ptx_debug *dwarf_read(const struct dwarf *d) {
  struct list entries = dwarf_read_entries(d);
  int64_t work_left = MAX_WORK;
  struct tree t = {d, entries.items, entries.count, &work_left};
  struct ptx_debug *debug = t.count ? read_tree(&t) : NULL;
  free(entries.items);
  return debug;
}

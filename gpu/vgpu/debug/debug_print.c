// SPDX-License-Identifier: Apache-2.0
// Values and types as C would write them.
#include "gpu/vgpu/debug/debug_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/debug/debug_value.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/ops.h"

enum {
  MAX_NESTING = 8,
  MAX_ELEMENTS = 128,        // shown to people
  MAX_PLAIN_ELEMENTS = 4096, // given to a program
};

struct printer {
  const struct vg_view *v;
  struct str *out;
  bool is_plain;
  int left; // elements
  // Of a value in memory: its bytes and the generic address of the first.
  const uint8_t *base;
  uint64_t address;
};

// ---- Types ----

// The dimensions of an array stand behind the name of its element.
void vg_type_print(const struct ptx_dtype *t, struct str *out) {
  struct str dims = STR_INIT;
  for (int hops = 0; t && t->kind == PTX_D_ARRAY && hops < MAX_NESTING;
       hops++) {
    str_addf(&dims, "[%" PRIu64 "]", t->count);
    t = t->inner;
  }
  int stars = 0;
  bool is_reference = false;
  for (int hops = 0; t && hops < MAX_NESTING && !*t->name; hops++) {
    stars += t->kind == PTX_D_POINTER;
    is_reference |= t->kind == PTX_D_REFERENCE;
    t = t->inner;
  }
  str_add(out, !t ? "void" : *t->name ? t->name : "?");
  if (stars || is_reference)
    str_add(out, " ");
  while (stars-- > 0)
    str_add(out, "*");
  str_add(out, is_reference ? "&" : "");
  str_add(out, dims.data);
  str_free(&dims);
}

// ---- Numbers ----

static void print_quoted(struct printer *p, const char *text) {
  str_add_char(p->out, '"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      str_add_char(p->out, '\\');
    str_add_char(p->out, *text);
  }
  str_add_char(p->out, '"');
}

static uint64_t load(const uint8_t *at, uint64_t bytes) {
  uint64_t bits = 0;
  memcpy(&bits, at, bytes < sizeof bits ? bytes : sizeof bits);
  return bits;
}

static int64_t sign_extend(uint64_t bits, unsigned width) {
  if (width >= 64 || !width)
    return (int64_t)bits;
  uint64_t sign = UINT64_C(1) << (width - 1);
  return (int64_t)(((bits & ((sign << 1) - 1)) ^ sign) - sign);
}

static void print_char(struct printer *p, int64_t c) {
  str_addf(p->out, "%" PRId64, c);
  if (!p->is_plain && c >= ' ' && c <= '~')
    str_addf(p->out, " '%c'", (char)c);
}

static void print_enum(struct printer *p, const struct ptx_dtype *t,
                       uint64_t bits, unsigned width) {
  int64_t value = sign_extend(bits, width);
  for (int i = 0; i < t->field_count; i++)
    if (sign_extend((uint64_t)t->values[i].value, width) == value) {
      if (p->is_plain)
        print_quoted(p, t->values[i].name);
      else
        str_add(p->out, t->values[i].name);
      return;
    }
  str_addf(p->out, "%" PRId64, value);
}

// ---- Pointers ----

// The kernel's parameter that points into the allocation, by its name.
static const char *parameter_into(const struct printer *p, uint64_t slot) {
  const struct vg_grid *g = p->v->d->grid;
  const struct ptx_func *f = g->code->func;
  const struct ptx_dfunc *named =
      ptx_debug_func(p->v->d->module->ptx->debug, f);
  int n = 0;
  for (int i = 0; named && i < named->var_count; i++) {
    if (!named->vars[i].is_param || n >= f->param_count)
      continue;
    const struct ptx_var *x = f->params[n++];
    uint64_t value;
    if (x->bytes != sizeof value)
      continue;
    memcpy(&value, g->params + x->offset, sizeof value);
    if (value >> VG_SLOT_BITS == slot)
      return named->vars[i].name;
  }
  return NULL;
}

static void note_target(struct printer *p, uint64_t address,
                        const struct ptx_dtype *pointee, struct str *out) {
  uint64_t slot = address >> VG_SLOT_BITS;
  const struct vg_alloc *a = vg_slot(p->v->d->grid->memory, slot);
  if (slot == VG_SLOT_SHARED || slot == VG_SLOT_LOCAL) {
    str_add(out, slot == VG_SLOT_LOCAL ? " (local)" : " (shared)");
    return;
  }
  if (!a) {
    str_add(out, address ? " (no memory)" : " (null)");
    return;
  }
  uint64_t offset = address & (VG_WINDOW(1) - 1);
  uint64_t each = ptx_dtype_bytes(pointee);
  const char *name = a->name ? a->name : parameter_into(p, slot);
  if (!a->data)
    str_add(out, " (freed)");
  if (!each || (offset && offset % each)) {
    str_addf(out, " (byte %" PRIu64 " of %" PRIu64 "%s%s)", offset, a->bytes,
             name ? " of " : "", name ? name : "");
  } else if (offset) {
    str_addf(out, " (&%s[%" PRIu64 "])", name ? name : "", offset / each);
  } else {
    str_add(out, " (");
    vg_type_print(pointee, out);
    str_addf(out, "[%" PRIu64 "]%s%s)", a->bytes / each, name ? " " : "",
             name ? name : "");
  }
}

static void print_pointer(struct printer *p, const struct ptx_dtype *t,
                          uint64_t address) {
  struct str s = STR_INIT;
  str_addf(&s, "0x%" PRIx64, address);
  note_target(p, address, t->inner, &s);
  if (p->is_plain)
    print_quoted(p, s.data);
  else
    str_add(p->out, s.data);
  str_free(&s);
}

// ---- Values ----

static void print_scalar(struct printer *p, const struct ptx_dtype *t,
                         uint64_t bits, unsigned width) {
  uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
  float single;
  double wide;
  uint32_t low = (uint32_t)bits;
  switch (t->kind) {
  case PTX_D_BOOL: str_add(p->out, bits & mask ? "true" : "false"); break;
  case PTX_D_CHAR: print_char(p, sign_extend(bits, width)); break;
  case PTX_D_UCHAR: print_char(p, (int64_t)(bits & mask)); break;
  case PTX_D_INT: str_addf(p->out, "%" PRId64, sign_extend(bits, width)); break;
  case PTX_D_UINT: str_addf(p->out, "%" PRIu64, bits & mask); break;
  case PTX_D_ENUM: print_enum(p, t, bits, width); break;
  case PTX_D_POINTER:
  case PTX_D_REFERENCE: print_pointer(p, t, bits); break;
  case PTX_D_FLOAT:
    if (width == 32) {
      memcpy(&single, &low, sizeof single);
      str_add_float(p->out, single, true);
    } else {
      memcpy(&wide, &bits, sizeof wide);
      str_add_float(p->out, wide, false);
    }
    break;
  default: str_add(p->out, "?"); break;
  }
}

static void print_at(struct printer *p, const struct ptx_dtype *t,
                     const uint8_t *at, uint64_t room, int nesting);

static void print_array(struct printer *p, const struct ptx_dtype *t,
                        const uint8_t *at, uint64_t room, int nesting) {
  uint64_t each = ptx_dtype_bytes(t->inner);
  str_add(p->out, "{");
  for (uint64_t i = 0; i < t->count && each; i++) {
    str_add(p->out, i ? ", " : "");
    if (p->left <= 0 || (i + 1) * each > room) {
      str_addf(p->out, p->is_plain ? "" : "... (%" PRIu64 " elements)",
               t->count);
      break;
    }
    print_at(p, t->inner, at + i * each, each, nesting + 1);
  }
  str_add(p->out, "}");
}

static void print_field(struct printer *p, const struct ptx_dfield *f,
                        const uint8_t *at, uint64_t room, int nesting) {
  uint64_t bytes = ptx_dtype_bytes(f->type);
  const struct ptx_dtype *t = ptx_dtype_plain(f->type);
  if (*f->name)
    str_addf(p->out, "%s = ", f->name);
  if (f->offset >= room || !t) {
    str_add(p->out, p->is_plain ? "\"?\"" : "?");
  } else if (f->bit_count) {
    uint64_t left = room - f->offset;
    uint64_t bits = load(at + f->offset, left < 8 ? left : 8) >> f->bit_at % 64;
    uint64_t mask =
        f->bit_count >= 64 ? UINT64_MAX : (UINT64_C(1) << f->bit_count) - 1;
    print_scalar(p, t, bits & mask, f->bit_count);
  } else {
    print_at(p, t, at + f->offset,
             bytes < room - f->offset ? bytes : room - f->offset, nesting + 1);
  }
}

// __half and __nv_bfloat16 are structures around 16 bits.
static bool print_half(struct printer *p, const struct ptx_dtype *t,
                       const uint8_t *at) {
  bool is_half = !strcmp(t->name, "__half");
  if (t->bytes != 2 || (!is_half && strcmp(t->name, "__nv_bfloat16") != 0))
    return false;
  uint16_t bits = (uint16_t)load(at, 2);
  str_add_float(p->out, vg_half_to_double(bits, is_half ? VG_F16 : VG_BF16),
                true);
  return true;
}

static void print_struct(struct printer *p, const struct ptx_dtype *t,
                         const uint8_t *at, uint64_t room, int nesting) {
  if (room >= 2 && print_half(p, t, at))
    return;
  str_add(p->out, "{");
  for (int i = 0; i < t->field_count; i++) {
    str_add(p->out, i ? ", " : "");
    print_field(p, &t->fields[i], at, room, nesting);
  }
  str_add(p->out, "}");
}

// Did nothing write some of these bytes?
static bool is_undefined(const struct printer *p, const uint8_t *at,
                         uint64_t bytes) {
  struct vg_warp *w = vg_debug_warp(p->v->d, &p->v->focus);
  return p->base && w && bytes <= 8 &&
         vg_undefined_bytes(w, p->v->focus.lane, PTX_GENERIC,
                            p->address + (uint64_t)(at - p->base),
                            (uint32_t)bytes) != 0;
}

static void print_at(struct printer *p, const struct ptx_dtype *t,
                     const uint8_t *at, uint64_t room, int nesting) {
  t = ptx_dtype_plain(t);
  uint64_t bytes = ptx_dtype_bytes(t);
  if (!t || nesting > MAX_NESTING || (bytes > room && t->kind != PTX_D_ARRAY)) {
    str_add(p->out, p->is_plain ? "\"?\"" : "?");
    return;
  }
  if (t->kind == PTX_D_ARRAY) {
    print_array(p, t, at, room, nesting);
    return;
  }
  if (t->kind == PTX_D_STRUCT || t->kind == PTX_D_UNION) {
    print_struct(p, t, at, room, nesting);
    return;
  }
  p->left--;
  if (is_undefined(p, at, bytes))
    str_add(p->out, p->is_plain ? "\"uninitialised\"" : "uninitialised");
  else
    print_scalar(p, t, load(at, bytes), (unsigned)(bytes < 8 ? bytes * 8 : 64));
}

const uint8_t *vg_value_bytes(const struct vg_view *v,
                              const struct vg_value *x) {
  uint64_t bytes = ptx_dtype_bytes(x->type);
  if (!x->is_memory)
    return bytes <= sizeof x->bytes ? x->bytes : NULL;
  return vg_debug_peek(v->d, &v->focus, x->address, bytes);
}

void vg_value_print(const struct vg_view *v, const struct vg_value *x,
                    bool is_plain, struct str *out) {
  const uint8_t *at = vg_value_bytes(v, x);
  struct printer p = {.v = v,
                      .out = out,
                      .is_plain = is_plain,
                      .left = is_plain ? MAX_PLAIN_ELEMENTS : MAX_ELEMENTS,
                      .base = x->is_memory ? at : NULL,
                      .address = x->address};
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  if (!at || !t) {
    str_add(out, is_plain ? "\"?\"" : "no such memory");
    return;
  }
  if (x->bit_count) {
    struct ptx_dfield f = {"", t, 0, x->bit_count, x->bit_at};
    print_field(&p, &f, at, ptx_dtype_bytes(t), 0);
  } else {
    print_at(&p, t, at, ptx_dtype_bytes(t), 0);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Every access of a kernel to memory is checked here: address to allocation,
// bounds, alignment, freed, never written. No other code turns an address of
// the kernel's into a host pointer.
//
// PTX ISA: "State Spaces", "Generic Addressing".

#include "gpu/vgpu/ops/access.h"

#include <stdio.h>
#include <string.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

// ---- What went wrong ----

static enum gpu_space space_of(int space) {
  static const enum gpu_space of[] = {
      [PTX_GENERIC] = GPU_SPACE_GLOBAL, [PTX_REG] = GPU_SPACE_NONE,
      [PTX_PARAM] = GPU_SPACE_PARAM,    [PTX_GLOBAL] = GPU_SPACE_GLOBAL,
      [PTX_SHARED] = GPU_SPACE_SHARED,  [PTX_LOCAL] = GPU_SPACE_LOCAL,
      [PTX_CONST] = GPU_SPACE_CONST};
  return of[space];
}

// The shared variable that lies nearest below an address outside all memory.
static void blame_shared(struct vg_warp *w, const struct vg_insn *i,
                         struct vg_fault *f, uint64_t offset) {
  const struct vg_grid *g = w->block->grid;
  if (i->within && i->within->space == PTX_SHARED) { // the one that was meant
    f->variable = i->within->name;
    f->address = VG_WINDOW(VG_SLOT_SHARED) + offset;
    f->base = VG_WINDOW(VG_SLOT_SHARED) + i->within->offset;
    f->base_bytes = i->within->bytes;
    return;
  }
  uint32_t at = g->shared_bytes ? g->shared_bytes - 1 : 0, base, bytes;
  if (offset < at)
    at = (uint32_t)offset;
  f->variable = vg_shared_name(g, at, &base, &bytes);
  if (i->dynamic && !f->variable)
    f->variable = i->dynamic;
  f->address = VG_WINDOW(VG_SLOT_SHARED) + offset;
  f->base = VG_WINDOW(VG_SLOT_SHARED) + base;
  f->base_bytes = bytes;
}

// Whose memory it is, when it is another virtual GPU's; -1 otherwise.
static int foreign_device(const struct vg_memory *memory, uint64_t address) {
  uint64_t slot = address >> VG_SLOT_BITS, ordinal = slot / VG_DEVICE_SLOTS;
  uint64_t n = slot % VG_DEVICE_SLOTS;
  bool is_likely = n >= VG_SLOT_FIRST && n < VG_DEVICE_SLOTS / 64;
  if (ordinal == memory->first / VG_DEVICE_SLOTS || !is_likely ||
      ordinal >= (uint64_t)gpu_virtual_count())
    return -1;
  return (int)ordinal;
}

static void blame_nothing(const struct vg_memory *memory, struct vg_fault *f,
                          char text[120]) {
  int other = foreign_device(memory, f->address);
  if (f->text)
    return;
  f->text = f->address < VG_WINDOW(1) ? "a null pointer"
                                      : "the address belongs to no allocation";
  if (other < 0)
    return;
  snprintf(text, 120,
           "memory of virtual:%d, which this GPU cannot reach: x:to(\"virtual:"
           "%u\") copies an array",
           other, memory->first / VG_DEVICE_SLOTS);
  f->text = text;
}

// `text` has room for a sentence of its own.
static void blame_global(struct vg_warp *w, struct vg_fault *f,
                         char text[120]) {
  const struct vg_memory *memory = w->block->grid->memory;
  int64_t offset;
  struct vg_alloc *a = vg_alloc_near(memory, f->address, &f->base, &offset);
  if (!a) {
    f->base = 0;
    blame_nothing(memory, f, text);
    return;
  }
  f->base_bytes = a->bytes;
  f->variable = a->name;
  if (f->kind == ERR_UNINITIALISED && vg_was_discarded(memory, f->address))
    f->text = "was discarded";
  if (f->kind != ERR_OUT_OF_BOUNDS)
    return;
  bool is_inside = offset >= 0 && (uint64_t)offset < a->bytes;
  if (!a->data && is_inside) {
    f->kind = ERR_USE_AFTER_FREE;
    f->text = a->kind == VG_ALLOC_HEAP ? "freed by the kernel's free()" : NULL;
  } else if (a->is_read_only && is_inside) {
    f->text = "constant memory cannot be written";
  }
}

// Where the variables of the functions that are open end: behind them lies what
// those had that have returned.
static uint64_t local_end(const struct vg_warp *w) {
  const struct vg_frame *f = w->leaf ? w->leaf->frame : NULL;
  return f ? f->local_base + f->code->frame_bytes : w->local_bytes;
}

// Reports one lane's fault; the address is as the instruction's space has it.
static void blame(struct vg_warp *w, const struct vg_insn *i, int lane,
                  int space, enum err kind, struct vg_span s) {
  char text[120];
  struct vg_fault f = {.kind = kind,
                       .space = space_of(space),
                       .access = s.access,
                       .address = s.at,
                       .bytes = s.bytes};
  switch (space) {
  case PTX_SHARED: blame_shared(w, i, &f, s.at); break;
  case PTX_LOCAL:
    f.address = VG_WINDOW(VG_SLOT_LOCAL) + s.at;
    f.base = VG_WINDOW(VG_SLOT_LOCAL);
    f.base_bytes = local_end(w);
    if (i->within && i->within->space == PTX_LOCAL && w->leaf) {
      f.variable = i->within->name;
      f.base += w->leaf->frame->local_base + i->within->offset;
      f.base_bytes = i->within->bytes;
      if (!f.base_bytes) {
        f.kind = ERR_USE_AFTER_FREE;
        f.text = "the block that it is declared in has ended";
      }
      break;
    }
    // A function was open there, or the array before it was overrun.
    if (s.at >= f.base_bytes && s.at < w->local_bytes)
      f.text =
          "behind the local variables of the functions that are open: an "
          "array's end was passed, or the variable's function has returned";
    break;
  case PTX_PARAM:
    f.address = VG_WINDOW(VG_SLOT_PARAM) + s.at;
    f.base = VG_WINDOW(VG_SLOT_PARAM);
    f.base_bytes = w->block->grid->code->func->param_bytes;
    break;
  default: blame_global(w, &f, text);
  }
  vg_report(w, i, lane, &f);
}

// ---- One lane ----

// A generic address as a space and an address of that space.
static int split_generic(uint64_t *address) {
  switch (*address >> VG_SLOT_BITS) {
  case VG_SLOT_SHARED: *address -= VG_WINDOW(VG_SLOT_SHARED); return PTX_SHARED;
  case VG_SLOT_LOCAL: *address -= VG_WINDOW(VG_SLOT_LOCAL); return PTX_LOCAL;
  case VG_SLOT_PARAM: *address -= VG_WINDOW(VG_SLOT_PARAM); return PTX_PARAM;
  default: return PTX_GLOBAL;
  }
}

static bool fits(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

static uint8_t *resolve_global(struct vg_warp *w, struct vg_span s,
                               struct vg_alloc **out) {
  const struct vg_memory *memory = w->block->grid->memory;
  struct vg_alloc *a = vg_slot(memory, s.at >> VG_SLOT_BITS);
  uint64_t offset = s.at & (VG_WINDOW(1) - 1);
  if (!a || !a->data || !fits(offset, s.bytes, a->bytes) ||
      (a->is_read_only && s.access != GPU_READ))
    return NULL;
  *out = a;
  return a->data + offset;
}

// The host place of one lane's access, NULL when it lies outside its memory.
static uint8_t *resolve(struct vg_warp *w, int lane, int space,
                        struct vg_span s, struct vg_alloc **alloc) {
  struct vg_block *b = w->block;
  switch (space) {
  case PTX_SHARED:
    return fits(s.at, s.bytes, b->shared_bytes) ? b->shared + s.at : NULL;
  case PTX_LOCAL:
    return fits(s.at, s.bytes, local_end(w))
               ? w->local + (size_t)lane * w->local_bytes + s.at
               : NULL;
  case PTX_PARAM:
    return s.access == GPU_READ &&
                   fits(s.at, s.bytes, b->grid->code->func->param_bytes)
               ? b->grid->params + s.at
               : NULL;
  default: return resolve_global(w, s, alloc);
  }
}

// An atomic that computes with what it finds: all but an exchange.
static bool needs_value(const struct vg_insn *i, enum gpu_access access) {
  return access == GPU_ATOMIC && i->sub != PTX_ATOM_EXCH;
}

static void check_defined(struct vg_warp *w, const struct vg_insn *i, int lane,
                          struct vg_alloc *a, struct vg_span s) {
  uint64_t offset = s.at & (VG_WINDOW(1) - 1);
  if (s.access == GPU_READ)
    w->has_undefined |= !vg_all_defined(a, offset, s.bytes);
  else if (needs_value(i, s.access) && !vg_any_defined(a, offset, s.bytes))
    blame(w, i, lane, PTX_GLOBAL, ERR_UNINITIALISED, s);
  if (s.access != GPU_READ)
    vg_define(a, offset, s.bytes);
}

static void see_local(struct vg_warp *w, const uint8_t *p, uint32_t bytes,
                      enum gpu_access access) {
  uint8_t *defined = w->local_defined + (p - w->local);
  if (access == GPU_READ)
    w->has_undefined |= !vg_is_whole(defined, bytes);
  else
    memset(defined, 1, bytes);
}

// Variables lie side by side: an overrun of one is in the next. An address that
// is in another kind of memory is not this one's at all.
static bool is_within(const struct vg_warp *w, const struct vg_insn *i,
                      int space, uint64_t address, uint32_t bytes) {
  const struct ptx_var *v = i->within;
  if (!w->block->grid->is_checked || space != (int)v->space ||
      (space == PTX_LOCAL && !w->leaf))
    return true;
  uint64_t base = space == PTX_LOCAL ? w->leaf->frame->local_base : 0;
  return fits(address - base - v->offset, bytes, v->bytes);
}

static uint8_t *access_one(struct vg_warp *w, const struct vg_insn *i, int lane,
                           int space, struct vg_span s, uint32_t align) {
  if (space == PTX_GENERIC)
    space = split_generic(&s.at);
  if (s.at & (align - 1)) {
    blame(w, i, lane, space, ERR_MISALIGNED, s);
    return NULL;
  }
  struct vg_alloc *a = NULL;
  uint8_t *p = resolve(w, lane, space, s, &a);
  if (p && i->within && !is_within(w, i, space, s.at, s.bytes))
    p = NULL;
  if (!p)
    blame(w, i, lane, space, ERR_OUT_OF_BOUNDS, s);
  else if (a && a->defined && w->block->grid->is_checked)
    check_defined(w, i, lane, a, s);
  if (p && a && a->is_input && s.access != GPU_READ)
    blame(w, i, lane, PTX_GLOBAL, ERR_READ_ONLY, s);
  if (p && space == PTX_LOCAL && w->local_defined)
    see_local(w, p, s.bytes, s.access);
  if (p && a && a->watched) {
    uint64_t offset[VG_LANES] = {0};
    offset[lane] = s.at & (VG_WINDOW(1) - 1);
    vg_on_global(w, i, 1u << lane, a,
                 (struct vg_spans){offset, s.bytes, s.access});
  }
  return p;
}

// ---- All lanes in one allocation ----

// Where the lanes' common memory lies.
struct extent {
  uint8_t *data;
  uint64_t base, bytes;
  struct vg_alloc *alloc; // NULL for shared memory
};

static bool find_extent(struct vg_warp *w, const struct vg_insn *i, int space,
                        uint64_t address, enum gpu_access access,
                        struct extent *x) {
  struct vg_block *b = w->block;
  if (space == PTX_GENERIC && address >> VG_SLOT_BITS == VG_SLOT_SHARED) {
    *x = (struct extent){b->shared, VG_WINDOW(VG_SLOT_SHARED), b->shared_bytes,
                         NULL};
    return true;
  }
  if (space == PTX_SHARED && i->within && b->grid->is_checked) {
    *x = (struct extent){b->shared + i->within->offset, i->within->offset,
                         i->within->bytes, NULL};
    return true;
  }
  if (space == PTX_SHARED) {
    *x = (struct extent){b->shared, 0, b->shared_bytes, NULL};
    return true;
  }
  if (space == PTX_LOCAL || space == PTX_PARAM)
    return false;
  struct vg_alloc *a = vg_slot(b->grid->memory, address >> VG_SLOT_BITS);
  if (!a || !a->data || (!vg_is_writable(a) && access != GPU_READ))
    return false;
  *x = (struct extent){a->data, address & ~(VG_WINDOW(1) - 1), a->bytes, a};
  return true;
}

// Looks at or sets the definedness of each lane's bytes; false when an atomic
// would use bytes that nothing has written.
static bool see_defined(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                        struct vg_alloc *a, struct vg_spans s) {
  if (!a || !a->defined || a->is_defined || !w->block->grid->is_checked)
    return true;
  for (int l = 0; l < VG_LANES && s.access == GPU_READ; l++)
    w->has_undefined |= m >> l & 1 && !vg_all_defined(a, s.at[l], s.bytes);
  for (int l = 0; l < VG_LANES && needs_value(i, s.access); l++)
    if (m >> l & 1 && !vg_any_defined(a, s.at[l], s.bytes))
      return false;
  for (int l = 0; l < VG_LANES && s.access != GPU_READ; l++)
    if (m >> l & 1)
      vg_define(a, s.at[l], s.bytes);
  return true;
}

// The usual case of lanes that go their own ways inside one allocation: one
// pass of comparisons for all. False when each must be looked at.
static bool access_together(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m, struct vg_spans s,
                            uint8_t *p[VG_LANES]) {
  struct extent x;
  if (!find_extent(w, i, i->space, s.at[__builtin_ctz(m)], s.access, &x) ||
      x.bytes < s.bytes)
    return false;
  uint64_t last = x.bytes - s.bytes, offset[VG_LANES], bad = 0;
  for (int l = 0; l < VG_LANES; l++) {
    uint64_t on = -(uint64_t)(m >> l & 1);
    offset[l] = (s.at[l] - x.base) & on;
    bad |= (uint64_t)(offset[l] > last) | (offset[l] & (s.bytes - 1));
  }
  s.at = offset;
  if (bad || !see_defined(w, i, m, x.alloc, s))
    return false;
  for (int l = 0; l < VG_LANES; l++)
    p[l] = x.data + offset[l];
  if (x.alloc && x.alloc->watched)
    vg_on_global(w, i, m, x.alloc, s);
  return true;
}

vg_mask vg_access(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_spans s, uint8_t *p[VG_LANES]) {
  vg_charge(w, VG_ACCESS_COST);
  if (access_together(w, i, m, s, p))
    return m;
  vg_charge(w, VG_LANE_COST * (uint64_t)__builtin_popcount(m));
  vg_mask ok = 0;
  for (int l = 0; l < VG_LANES; l++) {
    p[l] = NULL;
    if (!(m >> l & 1))
      continue;
    p[l] = access_one(w, i, l, i->space, vg_span_of(s, l), s.bytes);
    ok |= (vg_mask)(p[l] != NULL) << l;
  }
  return ok;
}

uint8_t *vg_access_lane(struct vg_warp *w, const struct vg_insn *i, int lane,
                        struct vg_span s) {
  return access_one(w, i, lane, PTX_GENERIC, s, 1);
}

void vg_access_text(struct vg_warp *w, const struct vg_insn *i, int lane,
                    uint64_t address, uint32_t max, struct str *out) {
  int space = split_generic(&address);
  for (uint32_t n = 0; n < max; n++) {
    struct vg_alloc *a = NULL;
    struct vg_span s = {address + n, 1, GPU_READ};
    uint8_t *p = resolve(w, lane, space, s, &a);
    if (!p) {
      blame(w, i, lane, space, ERR_OUT_OF_BOUNDS, s);
      return;
    }
    if (!*p)
      return;
    str_add_char(out, (char)*p);
  }
}

// ---- Lanes in a row ----

enum vg_pattern vg_access_row(struct vg_warp *w, const struct vg_insn *i,
                              vg_mask m, struct vg_spans s, uint8_t **first) {
  const uint64_t *a = s.at;
  int lead = __builtin_ctz(m);
  uint64_t start = a[lead] - (uint64_t)lead * s.bytes;
  uint64_t apart = 0, same = 0;
  if (m == VG_ALL) {
    for (int l = 0; l < VG_LANES; l++) {
      apart |= a[l] ^ (start + (uint64_t)l * s.bytes);
      same |= a[l] ^ a[0];
    }
  } else {
    for (int l = 0; l < VG_LANES; l++) {
      uint64_t on = -(uint64_t)(m >> l & 1);
      apart |= (a[l] ^ (start + (uint64_t)l * s.bytes)) & on;
      same |= (a[l] ^ a[lead]) & on;
    }
  }
  if ((apart && same) || a[lead] & (s.bytes - 1))
    return VG_EACH;
  int last = 31 - __builtin_clz(m);
  uint64_t all = apart ? s.bytes : (uint64_t)(last - lead + 1) * s.bytes;
  struct vg_alloc *g = NULL;
  struct vg_span one = vg_span_of(s, lead);
  int space = i->space;
  if (space == PTX_GENERIC)
    space = split_generic(&one.at);
  if (space == PTX_LOCAL || (apart && s.access == GPU_WRITE) ||
      all > UINT32_MAX)
    return VG_EACH;
  struct vg_span row = {one.at, (uint32_t)all, s.access};
  uint8_t *p = resolve(w, 0, space, row, &g);
  if (!p || (g && s.access != GPU_READ && !vg_is_writable(g)))
    return VG_EACH;
  uint64_t offset = one.at & (VG_WINDOW(1) - 1);
  if (w->block->grid->is_checked) {
    if (space == PTX_SHARED &&
        !vg_on_shared_row(w, i, m, one, apart ? VG_SAME : VG_ROW))
      return VG_EACH;
    if (g && g->defined && s.access == GPU_READ &&
        !vg_all_defined(g, offset, all))
      return VG_EACH;
    if (g && g->defined && s.access == GPU_WRITE) {
      // Lanes that are off leave holes in the row.
      if (m >> lead !=
          (last - lead == 31 ? VG_ALL : (1u << (last - lead + 1)) - 1))
        return VG_EACH;
      vg_define(g, offset, all);
    }
  }
  one.at = offset;
  if (g && g->watched)
    vg_on_global_row(w, i, m, g, one, apart ? VG_SAME : VG_ROW);
  vg_charge(w, VG_ROW_COST);
  *first = p;
  return apart ? VG_SAME : VG_ROW;
}

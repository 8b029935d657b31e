// SPDX-License-Identifier: Apache-2.0
// What the files of this room share.
#ifndef GPU_VGPU_SLICE_SLICE_PARTS_H
#define GPU_VGPU_SLICE_SLICE_PARTS_H

#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/slice/feeds.h"

// A page of cells costs more than one of memory: it is read and written a cell
// at a time, and all of them must fit beside the launch's own memory.
enum { CELL_PAGE_BYTES = 4096, CELL_PAGE_COST = 2 * VG_PAGE_COST };

// An instruction that is followed; and what cells cost beside.
void vg_slice_charge(struct vg_warp *w);
void vg_slice_charge_cells(struct vg_warp *w, uint64_t cost);

// The thread's number in its block, from 1.
static inline uint32_t vg_slice_self(const struct vg_warp *w, int lane) {
  return w->first_thread + (uint32_t)lane + 1;
}

static inline bool vg_slice_is_register(vg_place p) {
  return p != VG_NOWHERE && (p & 3) == VG_REGISTERS;
}

// ---- slice_cells.c ----

// Of a frame: whether a row has any facts, then its values, which nobody has
// written while it has none. Row `rows` never has any.
struct vg_slice_frame {
  uint32_t rows;
  uint8_t *any;
  struct vg_slice_value values[][VG_LANES];
};

// ---- slice_plan.c ----

enum vg_slice_kind {
  VG_SLICE_LEFT_OUT, // nothing flows here
  VG_SLICE_PLAIN,    // between registers
  VG_SLICE_VECTOR,   // and several of them: `vector`
  VG_SLICE_FOLLOWED, // memory and the like
};
struct vg_slice_plan {
  enum vg_slice_kind kind;
  uint32_t from[4], to[2]; // rows of the frame
};

static inline int vg_slice_op(const struct vg_insn *i) {
  return i->is_main && i->ptx ? (int)i->ptx->op : -1;
}

void vg_slice_take_plans(struct vg_slice *s, const struct vg_code *code);
void vg_slice_free_plans(struct vg_slice *s);

// Of an instruction of that function.
static inline const struct vg_slice_plan *
vg_slice_plan_of(struct vg_slice *s, const struct vg_code *code,
                 const struct vg_insn *i) {
  if (s->planned != code)
    vg_slice_take_plans(s, code);
  return &s->plan[i - code->insns];
}

// ---- All lanes at once: both numbers of a value in 64 bits ----

typedef uint64_t __attribute__((may_alias)) vg_slice_bits;
#define VG_SLICE_FACT UINT64_C(0xffffffff)

// All ones where there is a fact, and else 0.
static inline uint64_t vg_slice_has(vg_slice_bits v) {
  return 0 - ((0 - (v & VG_SLICE_FACT)) >> 63);
}

// Lanes one behind the other; `end` is 0 where they are others.
struct vg_slice_run {
  int first, end;
};
static inline struct vg_slice_run vg_slice_run_of(vg_mask m) {
  if (m == VG_ALL)
    return (struct vg_slice_run){0, VG_LANES};
  int first = m ? __builtin_ctz(m) : 0;
  vg_mask low = m >> first;
  if (!m || low & (low + 1))
    return (struct vg_slice_run){0, 0};
  return (struct vg_slice_run){first, VG_LANES - __builtin_clz(m)};
}

// ---- slice_global.c ----

// The part of an array in which nobody has to be asked again: a page of cells
// that is paid for. Where it begins, as an address and as cells.
struct vg_slice_window {
  uint64_t address, bytes;
  struct vg_slice_value *cells;
  struct vg_alloc *alloc;
  bool is_fresh; // nothing was written there in this launch
};

// The cells of an address, paid for; NULL: no such memory.
struct vg_slice_value *vg_slice_global_at(struct vg_warp *w, uint64_t address,
                                          uint64_t bytes, bool is_written,
                                          struct vg_alloc **alloc);
// The same, and the window moves there, for the addresses near it.
struct vg_slice_value *vg_slice_enter(struct vg_slice_window *n,
                                      struct vg_warp *w, struct vg_span s);
// NULL: it is not in the window.
static inline struct vg_slice_value *
vg_slice_within(const struct vg_slice_window *n, struct vg_span s) {
  uint64_t at = s.at - n->address;
  return at < n->bytes && s.bytes < n->bytes - at ? n->cells + at : NULL;
}

struct vg_slice_value vg_slice_load_global(struct vg_warp *w, int lane,
                                           const struct vg_alloc *a,
                                           const struct vg_slice_value *c,
                                           uint32_t bytes, uint32_t flags);
// The same by the lanes `m`, of cells that nobody has written.
void vg_slice_load_fresh(struct vg_warp *w, vg_mask m, const struct vg_alloc *a,
                         uint32_t flags, struct vg_slice_value v[VG_LANES]);
// Stores of the lanes `m`, each of which has cells.
void vg_slice_store_cells(struct vg_warp *w, vg_mask m,
                          struct vg_slice_value *const c[VG_LANES],
                          uint32_t bytes,
                          const struct vg_slice_value v[VG_LANES]);
void vg_slice_update_global(struct vg_warp *w, struct vg_slice_value *c,
                            uint32_t bytes, struct vg_slice_value v,
                            bool replaces);
// Do these cells have one node?
bool vg_slice_are_alike(const struct vg_slice_value *c, uint32_t bytes);

void vg_slice_free_arrays(struct vg_slice *s);

#endif

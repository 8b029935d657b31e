// SPDX-License-Identifier: Apache-2.0
// What comes before what: barriers, bar.warp.sync, and values passed on behind
// a fence (check.h: who tells of them). Asked by the files of races whenever two
// threads used the same cell.
#ifndef GPU_VGPU_CHECK_ORDER_H
#define GPU_VGPU_CHECK_ORDER_H

#include "gpu/vgpu/check/check.h"

struct vg_order; // of a launch, or of one block when blocks run in parallel

enum vg_use {
  VG_UNUSED,
  VG_PLAIN,
  VG_STRONG, // volatile, relaxed and stronger loads and stores
  VG_ATOM,
  VG_ATOM_BLOCK, // atomic for the threads of its block only
};

// One access that is remembered: 16 bytes, so that noting it is a single move.
struct vg_use_of {
  uint64_t at : 47; // struct vg_insn
  uint64_t thread : 10, bytes : 4, use : 3;
  uint32_t clock; // of its block
  uint32_t block;
}; // bytes: bit b is byte b of the cell; use: enum vg_use

struct vg_order *vg_order_new(void);
void vg_order_free(struct vg_order *o); // NULL is fine

// A block starts.
void vg_order_begin(struct vg_block *b);

// Does what the lane does now come after `u` in every run?
bool vg_order_is_after(const struct vg_warp *w, int lane,
                       const struct vg_use_of *u);
// The same, with a fence behind the atomic that told the lane of it? Of uses by
// the lane's own block, yes.
bool vg_order_is_fenced(const struct vg_warp *w, int lane,
                        const struct vg_use_of *u);
// Has the lane seen the last volatile or atomic write to this address?
bool vg_order_has_seen(const struct vg_warp *w, int lane, uint64_t address);

static inline const struct vg_insn *vg_use_insn(const struct vg_use_of *u) {
  return (const struct vg_insn *)(uintptr_t)u->at;
}

static inline enum vg_use vg_use_kind(const struct vg_insn *i,
                                      enum gpu_access access) {
  if (access != GPU_ATOMIC)
    return i->is_ordered ? VG_STRONG : VG_PLAIN;
  return i->ptx->scope == PTX_CTA ? VG_ATOM_BLOCK : VG_ATOM;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Notes: where an undefined value comes from. What the files of taint*.c share.
#ifndef GPU_VGPU_CHECK_TAINT_NOTES_H
#define GPU_VGPU_CHECK_TAINT_NOTES_H

#include "gpu/vgpu/check/taint.h"

struct vg_note {
  const struct vg_insn *at; // the load; of a variable what first computed with
                            // it, or NULL
  uint64_t address;         // generic
  uint32_t thread, bytes;
  bool is_told;
  bool is_poison;   // the load was not allowed, which has been said
  bool is_hole;     // other bytes of the load were defined
  bool is_used;     // it was not just copied along with those
  bool is_variable; // a register of a warp, not memory
  bool is_absent;   // and what a shuffle brought of lanes that took no part
  const char *name; // of that in the source, or NULL
  vg_mask told;     // lanes that were told of
};

// Of one block; numbers are from 1.
uint32_t vg_note_add(struct vg_block *b, struct vg_note n);
struct vg_note *vg_note_at(const struct vg_block *b, uint32_t number);
// The note of undefined bytes that were stored, else a new one for the load.
// `is_hole`: not all of the bytes are undefined.
uint32_t vg_note_of_load(struct vg_warp *w, const struct vg_insn *i, int lane,
                         uint64_t address, uint32_t bytes, bool is_hole);
// Where the note is kept of a word of shared or local memory; NULL for other
// memory, and where none is yet unless one is to be made.
uint32_t *vg_note_kept(struct vg_warp *w, int lane, int space, uint64_t at,
                       bool make);
// The first instruction that does more than to hand it on is where a variable
// is missed.
void vg_note_place(struct vg_warp *w, struct vg_note *n,
                   const struct vg_insn *i);
// Tells of the lanes whose register is undefined; gives them.
vg_mask vg_note_tell_lanes(const struct vg_taint_view *v,
                           const struct vg_insn *i, vg_mask m, vg_place p,
                           const char *role);
// What memory of the device keeps of it when it is stored there.
uint32_t vg_note_origin(struct vg_warp *w, int lane, uint32_t note);

// ---- taint_store.c ----

// Runs a store.
void vg_taint_store(const struct vg_taint_view *v, const struct vg_insn *i,
                    vg_mask m);

#endif

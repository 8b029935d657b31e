// SPDX-License-Identifier: Apache-2.0
// What is known of one cell of memory that several threads may use, and what
// one more access to it means. Shared (race_shared.c) and global memory
// (race_global.c) keep their cells in their own way.
#ifndef GPU_VGPU_CHECK_CELL_H
#define GPU_VGPU_CHECK_CELL_H

#include "gpu/vgpu/check/order.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/state.h"

struct vg_cell {
  struct vg_use_of write;
  struct vg_use_of plain;   // the last plain write, where atomics followed it
  struct vg_use_of read[2]; // the last, and the last of another thread
};

// An access of one lane that is looked at, and what to call the place.
struct vg_look {
  struct vg_warp *w;
  const struct vg_insn *i;
  int lane;
  enum gpu_space space;
  uint64_t address, base, base_bytes; // generic
  uint32_t bytes;
  const uint8_t *data; // its memory
  // What is known of that before this access, one behind the other; NULL where that is
  // not all that may have changed it.
  const struct vg_cell *cells;
  int cell_count;
  const char *variable;
  bool is_told; // one finding an access is enough
};

static inline struct vg_use_of vg_use_now(const struct vg_warp *w,
                                          const struct vg_insn *i, int lane,
                                          uint32_t mask,
                                          enum gpu_access access) {
  return (struct vg_use_of){.at = (uint64_t)(uintptr_t)i,
                            .thread = (w->first_thread + (uint32_t)lane) & 1023,
                            .bytes = mask & 15,
                            .use = vg_use_kind(i, access) & 7,
                            .clock = w->block->clock,
                            .block = (uint32_t)w->block->number};
}

// Looks at the bytes `mask` of the cell and notes the access.
void vg_cell_use(struct vg_look *s, struct vg_cell *c, uint32_t mask,
                 enum gpu_access access);
// Against the earlier writes alone.
void vg_cell_compare_writes(struct vg_look *s, const struct vg_cell *c,
                            uint32_t mask, enum gpu_access access);
// The same against one earlier access alone; `was` is what that one did.
void vg_cell_compare(struct vg_look *s, const struct vg_use_of *u,
                     enum gpu_access was, enum gpu_access access);

// Lanes that write a whole cell of global memory where a lane of their warp has
// just written, by the same store: counts them at once when it is the same value
// and that is all there is to say. False: nothing was done.
bool vg_cell_write_again(struct vg_look *s, struct vg_cell *c, vg_mask m);

void vg_cell_note_read(struct vg_block *b, struct vg_cell *c,
                       struct vg_use_of a);

// The bits of a cell that an access touches, from its first byte on.
static inline uint8_t vg_cell_bytes(uint32_t offset, uint32_t end) {
  uint32_t low = offset & 3, n = end - (offset & ~3u);
  return (uint8_t)((0xFu << low) & (n >= 4 ? 0xFu : (1u << n) - 1));
}

#endif

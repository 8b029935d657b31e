// SPDX-License-Identifier: Apache-2.0
// A seed for the order of blocks and warps: the same seed gives the same order
// on every machine, another one another. Without a seed (0) they run by number.
#ifndef GPU_VGPU_RUN_SCHEDULE_H
#define GPU_VGPU_RUN_SCHEDULE_H

#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/state.h"

// The n-th block that the grid begins.
uint64_t vg_schedule_block(const struct vg_grid *g, uint64_t n);

// In which order a block's warps get their next turns, and how long those are.
struct vg_sweep {
  uint32_t first, step;
};
struct vg_sweep vg_schedule_sweep(const struct vg_block *b);
static inline uint32_t vg_schedule_warp(const struct vg_block *b,
                                        const struct vg_sweep *s, uint32_t n) {
  return s->step == 1 && !s->first
             ? n
             : (uint32_t)((s->first + (uint64_t)n * s->step) % b->warp_count);
}
int32_t vg_schedule_turn(const struct vg_warp *w, int32_t turn);

#endif

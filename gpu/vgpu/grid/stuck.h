// SPDX-License-Identifier: Apache-2.0
// Launches that cannot end: everybody waits for what nobody will do.
#ifndef GPU_VGPU_GRID_STUCK_H
#define GPU_VGPU_GRID_STUCK_H

#include "gpu/vgpu/insn.h"

// Lets each warp of the blocks that run go on by one round of its loop.
// When all are then as they were, and no memory has changed, they will do the
// same for ever: true, and each thread that waits is reported. `count` blocks
// run, and none of the others can begin.
// `is_turn`: none of them is in the middle of a turn.
bool vg_stuck_report(struct vg_block *const *blocks, uint32_t count,
                     bool is_turn);

#endif

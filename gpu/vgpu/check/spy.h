// SPDX-License-Identifier: Apache-2.0
// Global memory: is there anything to look at?
#ifndef GPU_VGPU_CHECK_SPY_H
#define GPU_VGPU_CHECK_SPY_H

#include "gpu/vgpu/check/watch.h"

// By one thread; or, in a row, by as many as there are units, of which `thread`
// is the first.
void vg_spy_use(struct vg_warp *w, struct vg_watched *x, struct vg_units u,
                uint32_t thread, bool is_row);
// A texture's read: whatever the block wrote before is suspicious.
void vg_spy_fetch(struct vg_warp *w, struct vg_watched *x, struct vg_units u,
                  uint32_t thread);
// The block that the thread ran has ended.
void vg_spy_block_ended(struct vg_block *b);
void vg_spy_free(struct vg_spy *s); // NULL is fine

#endif

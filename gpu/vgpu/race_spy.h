// SPDX-License-Identifier: Apache-2.0
// Is there anything to look at in a block's shared memory?
#ifndef GPU_VGPU_RACE_SPY_H
#define GPU_VGPU_RACE_SPY_H

#include "gpu/vgpu/engine.h"

struct vg_shared_spy;

struct vg_shared_spy *vg_shared_spy_new(uint32_t bytes);
void vg_shared_spy_free(struct vg_shared_spy *s); // NULL is fine

// As vg_shadow_use, vg_shadow_read_words and vg_shadow_run of race.h; `defined`
// has a byte for each byte of shared memory.
void vg_shared_spy_use(struct vg_warp *w, struct vg_shared_spy *s,
                       uint8_t *defined, int lane, uint32_t offset,
                       uint32_t bytes, enum gpu_access access);
vg_mask vg_shared_spy_read_words(struct vg_warp *w, struct vg_shared_spy *s,
                                 const uint8_t *defined, vg_mask m,
                                 const uint32_t offset[VG_LANES]);
bool vg_shared_spy_run(struct vg_warp *w, struct vg_shared_spy *s,
                       uint8_t *defined, int lane, uint32_t offset, bool is_row,
                       enum gpu_access access);

#endif

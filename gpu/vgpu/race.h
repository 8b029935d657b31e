// SPDX-License-Identifier: Apache-2.0
// What is known of each byte of a block's shared memory: whether it was ever
// written, and who used it last since when.
#ifndef GPU_VGPU_RACE_H
#define GPU_VGPU_RACE_H

#include "gpu/vgpu/engine.h"

struct vg_shadow;

struct vg_shadow *vg_shadow_new(uint32_t bytes);
void vg_shadow_free(struct vg_shadow *s); // NULL is fine
void vg_shadow_clear(struct vg_shadow *s);

// One lane's access to shared memory that lies inside it; `value` is what a
// write will store. Reports races; a read of bytes of which none was ever
// written answers false.
bool vg_shadow_read(struct vg_warp *w, const struct vg_insn *i, int lane,
                    uint32_t offset, uint32_t bytes);
vg_mask vg_shadow_read_words(struct vg_warp *w, const struct vg_insn *i,
                             vg_mask m, const uint32_t offset[VG_LANES]);
void vg_shadow_write(struct vg_warp *w, const struct vg_insn *i, int lane,
                     uint32_t offset, uint32_t bytes, const void *value);
void vg_shadow_atomic(struct vg_warp *w, const struct vg_insn *i, int lane,
                      uint32_t offset, uint32_t bytes);

// All that was done in the block so far comes before all that follows.
void vg_shadow_order(struct vg_block *b);

// The shared variable at an offset, NULL for dynamic memory, and its extent.
const char *vg_shared_name(const struct vg_grid *g, uint32_t offset,
                           uint32_t *base, uint32_t *bytes);

#endif

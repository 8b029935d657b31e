// SPDX-License-Identifier: Apache-2.0
// What is known of each byte of a block's shared memory: whether it was ever
// written, and who used it last since when.
#ifndef GPU_VGPU_CHECK_RACE_H
#define GPU_VGPU_CHECK_RACE_H

#include "gpu/gpu.h"
#include "gpu/vgpu/insn.h"

struct vg_shadow;

// Not exact: nothing is reported, but what is suspicious makes the launch run
// again (race_spy.c); units of 1 << shift bytes are told apart then.
struct vg_shadow *vg_shadow_new(uint32_t bytes, int shift, bool is_exact);
// What is asked in place of that (race_spy.h); NULL when it is exact.
struct vg_shared_spy *vg_shadow_spy(struct vg_shadow *s);
void vg_shadow_free(struct vg_shadow *s); // NULL is fine
// A block begins: nothing wrote the bytes up to `end`, those behind are the
// toolkit's own.
void vg_shadow_clear(struct vg_shadow *s, uint32_t end);

// One lane's access to shared memory that lies inside it, before it is done.
void vg_shadow_use(struct vg_warp *w, const struct vg_insn *i, int lane,
                   uint32_t offset, uint32_t bytes, enum gpu_access access);
// One lane sends for a copy to there, which may land at any time until the lane
// has waited for it. Using the place is told by vg_shadow_use when it does.
void vg_shadow_send(struct vg_warp *w, const struct vg_insn *i, int lane,
                    uint32_t offset, uint32_t bytes);
// Reads of 4 bytes by all lanes of `m`, where nothing is to be said of them;
// gives the lanes that must be looked at one by one.
vg_mask vg_shadow_read_words(struct vg_warp *w, const struct vg_insn *i,
                             vg_mask m, const uint32_t offset[VG_LANES]);

// A byte for each byte of shared memory: was it written?
uint8_t *vg_shadow_defined(struct vg_shadow *s);

// Is it the toolkit's own, behind the kernel's shared memory?
bool vg_is_reserved(const struct vg_block *b, uint32_t offset);

// The shared variable at an offset, NULL for dynamic memory
// that has several names, and its extent.
const char *vg_shared_name(const struct vg_grid *g, uint32_t offset,
                           uint32_t *base, uint32_t *bytes);

#endif

// SPDX-License-Identifier: Apache-2.0
// What is known of each byte of a block's shared memory: whether it was ever
// written, and who used it last since when.
#ifndef GPU_VGPU_CHECK_RACE_SHARED_H
#define GPU_VGPU_CHECK_RACE_SHARED_H

#include "gpu/vgpu/check/check.h"

struct vg_shadow;

// Not exact: nothing is reported, but what is suspicious makes the launch run
// again (race_spy.c); units of 1 << shift bytes are told apart then.
struct vg_shadow *vg_shadow_new(uint32_t bytes, int shift, bool is_exact);
// What is asked in place of that; NULL when it is exact.
struct vg_shared_spy *vg_shadow_spy(struct vg_shadow *s);
void vg_shadow_free(struct vg_shadow *s); // NULL is fine
// A block begins: nothing wrote the bytes up to `end`, those behind are the
// toolkit's own.
void vg_shadow_clear(struct vg_shadow *s, uint32_t end);

// A byte for each byte of shared memory: was it written?
uint8_t *vg_shadow_defined(struct vg_shadow *s);

// Is it the toolkit's own, behind the kernel's shared memory?
bool vg_is_reserved(const struct vg_block *b, uint32_t offset);

#endif

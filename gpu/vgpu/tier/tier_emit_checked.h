// SPDX-License-Identifier: Apache-2.0
// What compiled code of checked launches does beside.
#ifndef GPU_VGPU_TIER_TIER_EMIT_CHECKED_H
#define GPU_VGPU_TIER_TIER_EMIT_CHECKED_H

#include "gpu/vgpu/tier/tier_emit.h"

// Bails where the condition holds in a lane that is on: of each, or of all.
void tier_forbid(struct tier_emitter *e, struct tier_ir condition);
// How many lanes of a mask are set, of 64 bits.
struct tier_ir tier_count(struct tier_emitter *e, struct tier_ir mask);
// Each lane that is on becomes the owner of bytes of a parameter's array, at its
// offset of 32 bits; or of one unit, in a row that the first lane's offset of 64 bits
// begins. Bails where another thread is.
void tier_claim(struct tier_emitter *e, int origin, struct tier_ir offsets,
                int bytes);
void tier_claim_row(struct tier_emitter *e, int origin, struct tier_ir offset);

#endif

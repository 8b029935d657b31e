// SPDX-License-Identifier: Apache-2.0
// Masks, and memory of the lanes that are on (of a mask, which may be empty).
#ifndef GPU_VGPU_TIER_TIER_EMIT_LANES_H
#define GPU_VGPU_TIER_TIER_EMIT_LANES_H

#include "gpu/vgpu/tier/tier_emit.h"

// Of elements of `bits` bits, each aligned: one behind the other from a pointer on, or
// each at its own pointer. Lanes that are off get 0, and store nothing.
struct tier_ir tier_load_row(struct tier_emitter *e, struct tier_ir at,
                             int bits, struct tier_ir mask);
void tier_store_row(struct tier_emitter *e, struct tier_ir v, struct tier_ir at,
                    int bits, struct tier_ir mask);
struct tier_ir tier_gather(struct tier_emitter *e, struct tier_ir from,
                           int bits, struct tier_ir mask);
void tier_scatter(struct tier_emitter *e, struct tier_ir v, struct tier_ir to,
                  int bits, struct tier_ir mask);

// A loop over the lanes of a mask's bits, in their order: `lane` is an i64.
struct tier_lane_loop {
  int from, loop, end;
  struct tier_ir lane;
};
struct tier_lane_loop tier_begin_lanes(struct tier_emitter *e,
                                       struct tier_ir all);
void tier_end_lanes(struct tier_emitter *e, const struct tier_lane_loop *l);

#endif

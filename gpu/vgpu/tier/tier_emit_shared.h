// SPDX-License-Identifier: Apache-2.0
// Shared memory of checked launches: who used which unit between two barriers.
#ifndef GPU_VGPU_TIER_TIER_EMIT_SHARED_H
#define GPU_VGPU_TIER_TIER_EMIT_SHARED_H

#include "gpu/vgpu/tier/tier_emit.h"

// Bytes that the lanes that are on access: all at one offset of 64 bits; one behind the
// other, from that of the first lane, on or not; each at an offset of 32 bits.
enum tier_cells_way { TIER_ONE, TIER_LINE, TIER_EACH };
struct tier_cells {
  enum tier_cells_way way;
  struct tier_ir offset;
  uint64_t from; // what offsets count from
  int bytes;     // of a lane
};

// Bails where a unit that is read was not written by the block, or where another thread
// used one that is written since the last barrier, or writes one that was used.
void tier_read_shared(struct tier_emitter *e, const struct tier_cells *c);
void tier_write_shared(struct tier_emitter *e, const struct tier_cells *c);
// The same of sums, which do not mind each other.
void tier_sum_shared(struct tier_emitter *e, const struct tier_cells *c);

#endif

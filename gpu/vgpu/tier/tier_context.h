// SPDX-License-Identifier: Apache-2.0
// What compiled code gets, and what it answers: one call runs all gangs of a block, each
// up to its next barrier or to its end.
#ifndef GPU_VGPU_TIER_TIER_CONTEXT_H
#define GPU_VGPU_TIER_TIER_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The array that a parameter's address lies in.
struct tier_extent {
  uint64_t base;
  uint8_t *data;
  uint64_t read_bytes, write_bytes; // 0: not so
  uint32_t *owners; // of a checked launch, of each unit: a thread, or 0
};

struct tier_context {
  const uint8_t *params;
  uint8_t *shared;
  uint64_t shared_bytes;
  const struct tier_extent *extents; // of parameters, by their place / 8
  uint8_t *save;                     // of the gangs, from barrier to barrier
  const _Atomic bool *stop;
  int64_t limit, spent; // instructions: of a gang at most, of all
  int64_t longest;      // of a warp the most; of checked launches
  uint32_t ctaid[3], nctaid[3];
  uint32_t resume; // the barrier behind which they go on; 0: the start
  uint32_t owner;  // what the first thread is called among owners
  int64_t claimed; // units that the gangs found without an owner
  // Of a checked block: of each unit of shared memory who wrote and who read it last, as
  // (intervals between barriers << TIER_THREAD_BITS | its number from 1); what is less
  // than `since` the block has not written.
  uint32_t *writers, *readers;
  uint32_t now, since;
  uint64_t unwritten; // units
};

enum { TIER_THREAD_BITS = 11, TIER_MANY = (1 << TIER_THREAD_BITS) - 1 };

enum { TIER_BAILS = -1, TIER_ENDS = 0 }; // else the barrier that it waits at

typedef int32_t (*tier_code)(struct tier_context *c);

#endif

// SPDX-License-Identifier: Apache-2.0
// Which block runs on which multiprocessor, and when: a model that is the same
// on every machine. A multiprocessor issues one warp instruction a clock, for
// as many blocks as occupancy allows, in turns; the next block goes to the
// multiprocessor that is free first.
#ifndef GPU_VGPU_MACHINE_PLACEMENT_H
#define GPU_VGPU_MACHINE_PLACEMENT_H

#include "gpu/counters.h"
#include "gpu/gpu.h"
#include "gpu/vgpu/insn.h"

// What stands behind a block's results (a traced launch: count/slice.h).
struct vg_slice_sum {
  uint32_t flags, threads, chain;
};

// Warp instructions after which a block steps aside for others.
enum { VG_BLOCK_TURN = 1 << 16, VG_MAX_RESIDENT = 4096 };

struct vg_placement {
  struct gpu_placement what;
  // Blocks that ran in turns were placed as they began. What others did is
  // kept, and they are placed when somebody asks.
  bool is_live;
  struct gpu_block_place *places; // of all blocks, in their order
  uint32_t *work;                 // warp instructions of each, 0: never ran
  uint64_t *clock;                // of each multiprocessor
  uint32_t *resident;             // blocks there
  struct vg_slice_sum *made;      // of all blocks of a traced launch, or NULL
};

// NULL for a grid of more blocks than are recorded.
struct vg_placement *vg_placement_new(const struct vg_grid *g);
void vg_placement_free(struct vg_placement *p); // NULL is fine
void vg_placement_clear(struct vg_placement *p);

// How many blocks of the grid a multiprocessor holds at a time.
uint32_t vg_blocks_per_multiprocessor(const struct vg_grid *g);

// Places a block that begins (live), and tells its %smid.
uint32_t vg_place_begin(struct vg_grid *g, struct vg_block *b);
// Before and after a turn of the block; `has_ended`: it was its last.
// A block that ran without turns.
void vg_place_did(struct vg_grid *g, uint64_t block, uint32_t instructions);
void vg_place_turn(struct vg_block *b);
void vg_place_ran(struct vg_block *b, bool has_ended);

// The placed blocks, for the caller to free; out->placed tells how many.
struct gpu_block_place *vg_placement_take(struct vg_placement *p,
                                          struct gpu_placement *out);

#endif

// SPDX-License-Identifier: Apache-2.0
// A launch that runs: what its blocks share, and the host threads that run
// them.
#ifndef GPU_VGPU_LAUNCH_H
#define GPU_VGPU_LAUNCH_H

#include <stdatomic.h>

#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/state.h"

struct vg_grid {
  struct vg_memory *memory;
  const struct vg_objects *objects; // textures and surfaces
  struct vg_findings *findings;
  struct vg_output *output; // of printf
  const _Atomic bool *is_cancelled;
  const struct vg_code *code;
  struct gpu_launch launch;
  uint64_t number; // of the launch
  uint64_t block_count;
  uint32_t threads; // of a block
  uint32_t static_shared, shared_bytes;
  uint32_t total_shared; // of those, what the kernel asked for
  uint64_t budget;       // instructions of one thread
  uint64_t grid_budget;
  _Atomic uint64_t executed; // work of all its blocks, against grid_budget
  _Atomic uint64_t prints, mistakes, cells; // of it
  _Atomic uint64_t memory_work;             // of the cells
  uint32_t multiprocessors;
  struct gpu_occupancy_limits limits; // of one
  struct vg_placement *placement;     // or NULL
  gpu_ptr workspace; // of a cooperative launch, for grid.sync(); or 0
  uint64_t seed;
  bool is_checked;
  bool is_alone; // one host thread runs all the blocks that run now
  const struct vg_flat *flat; // of a launch that is run so (flat.h), or NULL
  struct vg_counts *counts;   // of a launch that is counted (count.h), or NULL
  struct vg_record
      *record;            // of one whose requests are kept (record.h), or NULL
  struct vg_slice *slice; // of a launch that is traced (slice.h), or NULL
  uint32_t first_slot;    // of memory that the launch itself made
  struct vg_watch *watch; // of global memory, or NULL
  struct vg_pool *pool;   // threads that help to run its blocks (machine.h)
  struct vg_order *order; // of blocks that take turns, or NULL
  struct vg_tier *tier;   // the device's (tier/tier.h), or NULL
  struct vg_tier_launch
      *tier_launch; // of a launch that may run compiled, or NULL
  uint8_t params[GPU_MAX_PARAM_BYTES];
  _Atomic uint64_t next_block;
  _Atomic bool is_abandoned;
  _Atomic bool is_stop_told; // where it was stopped
};

// A host thread that runs blocks.
struct vg_worker {
  struct vg_grid *grid;
  uint64_t next, end;          // blocks that it took and has not run yet
  uint64_t look_at;            // work of the launch: does it ever end? (grid.c)
  struct vg_flat_state *flat;  // flat.c
  struct vg_tally *tallies;    // count.h; NULL: nothing is counted
  struct vg_tally *counted_at; // those of the function that ran last ...
  const struct vg_code *counted; // ... which is this one
  struct vg_count_tile *tile;
  struct vg_spy *spy;
  struct vg_tier_worker *tier; // tier/tier_run.c, or NULL
};

// Ends the launch at the next turn of each block: it failed beyond repair.
static inline void vg_grid_abandon(struct vg_grid *g) {
  atomic_store(&g->is_abandoned, true);
}

#endif

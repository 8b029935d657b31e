// SPDX-License-Identifier: Apache-2.0
// A launch that may run compiled, as tier_run.c shares it with tier_proof.c.
#ifndef GPU_VGPU_TIER_TIER_RUN_H
#define GPU_VGPU_TIER_TIER_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/vgpu/tier/tier_context.h"
#include "gpu/vgpu/tier/tier_plan.h"

struct vg_alloc;
struct vg_grid;
struct vg_tier_kernel;

// What an array was before the launch.
struct tier_copy {
  struct tier_copy *next;
  struct vg_alloc *of;
  uint8_t bytes[];
};

// The threads that own its units.
struct tier_owned {
  struct tier_owned *next;
  struct vg_alloc *of;
  uint32_t *owners;
  uint64_t units;
};

// A launch, as compiled code sees it.
struct vg_tier_launch {
  struct vg_tier_kernel *kernel;
  struct tier_extent extents[TIER_ORIGINS];
  struct tier_copy *copies;
  struct tier_owned *owned;
  _Atomic uint64_t claimed; // units of them, by all gangs
  _Atomic bool is_on;       // blocks run as compiled code
  _Atomic bool is_changing; // somebody turns that on, or has seen that none may
  bool has_changed;         // it did not begin so
  _Atomic uint64_t interpreted;       // blocks
  _Atomic uint64_t compiled, charged; // others, and what they were charged
};

// The array that the n-th parameter (its place / 8) is an address of, or NULL.
struct vg_alloc *tier_array_of(const struct vg_grid *g, int n);
// The same, if it is one of `origins`, a bit each.
struct vg_alloc *tier_array_in(const struct vg_grid *g, uint64_t origins,
                               int n);
// What a budget is for: all that the launch was charged, but for what memory cost it.
uint64_t tier_work_of(const struct vg_grid *g);

#endif

// SPDX-License-Identifier: Apache-2.0
// How many blocks a multiprocessor holds at a time, and what limits them.
//
// Registers are handed out to warps in units of 256, and warps in fours, one
// for each quarter of the multiprocessor; shared memory in units of 128 bytes,
// with 1 KiB for the system in each block from compute capability 8.0 on (CUDA
// C++ Programming Guide, "Technical Specifications per Compute Capability";
// Nsight Compute, "Occupancy Calculator").
#include "gpu/occupancy.h"

#include <math.h>

#include "gpu/counters.h"
#include "gpu/gpu.h"

enum {
  WARP = 32,
  REGISTER_UNIT = 256, // of a warp
  REGISTER_STEP = 8,   // of a thread
  REGISTER_LEAST = 16, // of a thread: what an H200 gives, as ncu shows
  WARP_UNIT = 4,
  SHARED_UNIT = 128,
};

void gpu_occupancy_limits(const int64_t *a, struct gpu_occupancy_limits *out) {
  bool has_reserved = a[GPU_ATTR_COMPUTE_CAPABILITY_MAJOR] >= 8;
  *out = (struct gpu_occupancy_limits){
      .multiprocessors = (uint32_t)a[GPU_ATTR_MULTIPROCESSOR_COUNT],
      .warps = (uint32_t)(a[GPU_ATTR_MAX_THREADS_PER_SM] / WARP),
      .blocks = (uint32_t)a[GPU_ATTR_MAX_BLOCKS_PER_SM],
      .registers = (uint32_t)a[GPU_ATTR_MAX_REGISTERS_PER_SM],
      .shared_bytes = (uint64_t)a[GPU_ATTR_MAX_SHARED_PER_SM],
      .shared_reserved = has_reserved ? 1024 : 0,
  };
}

static uint64_t round_up(uint64_t n, uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// How many whole ones of a size fit.
static double fit(uint64_t all, uint64_t each) {
  uint64_t count = all / each;
  return (double)count;
}

static double register_limit(const struct gpu_occupancy_limits *l,
                             int registers, uint64_t block_warps) {
  if (registers < 0)
    return NAN;
  if (registers == 0)
    return fit(l->warps, block_warps);
  uint64_t of_thread = round_up((uint64_t)registers, REGISTER_STEP);
  of_thread = of_thread < REGISTER_LEAST ? REGISTER_LEAST : of_thread;
  uint64_t of_warp = round_up(of_thread * WARP, REGISTER_UNIT);
  uint64_t warps = l->registers / of_warp / WARP_UNIT * WARP_UNIT;
  return fit(warps, block_warps);
}

static double shared_limit(const struct gpu_occupancy_limits *l,
                           uint64_t bytes) {
  uint64_t all = round_up(bytes + l->shared_reserved, SHARED_UNIT);
  return all ? fit(l->shared_bytes, all) : l->blocks;
}

// If all blocks take equally long: those of each multiprocessor run in waves,
// and its last wave may be smaller. In warps of all that could be there.
static double achieved(const struct gpu_occupancy_limits *l, uint64_t blocks,
                       uint64_t block_warps, uint64_t held) {
  uint64_t each = blocks / l->multiprocessors,
           more = blocks % l->multiprocessors;
  uint64_t waves = more * ((each + held) / held) +
                   (l->multiprocessors - more) * ((each + held - 1) / held);
  return 100.0 * (double)(blocks * block_warps) / (double)(waves * l->warps);
}

void gpu_occupancy_compute(const struct gpu_occupancy_limits *l,
                           const struct gpu_occupancy_need *n,
                           struct gpu_occupancy *out) {
#define SET(name) out->value[GPU_METRIC_##name - GPU_METRIC_BLOCKS]
  uint64_t threads = (uint64_t)n->block[0] * n->block[1] * n->block[2];
  uint64_t block_warps = (threads + WARP - 1) / WARP;
  uint64_t blocks = (uint64_t)n->grid[0] * n->grid[1] * n->grid[2];
  uint64_t shared = (uint64_t)n->shared_static + n->shared_dynamic;
  SET(BLOCKS) = (double)blocks;
  SET(THREADS_PER_BLOCK) = (double)threads;
  SET(WARPS) = (double)(blocks * block_warps);
  SET(REGISTERS) = n->registers >= 0 ? n->registers : NAN;
  SET(SPILL_BYTES) = n->spill_bytes >= 0 ? (double)n->spill_bytes : NAN;
  SET(SHARED_BYTES) = (double)shared;
  SET(LIMIT_BLOCKS) = l->blocks;
  SET(LIMIT_WARPS) = fit(l->warps, block_warps);
  SET(LIMIT_REGISTERS) = register_limit(l, n->registers, block_warps);
  SET(LIMIT_SHARED) = shared_limit(l, shared);
  const struct {
    double blocks;
    const char *name;
  } limits[] = {{SET(LIMIT_WARPS), "the size of its blocks"},
                {SET(LIMIT_REGISTERS), "registers"},
                {SET(LIMIT_SHARED), "shared memory"},
                {SET(LIMIT_BLOCKS), "the number of blocks"}};
  double held = limits[0].blocks;
  out->limiter = limits[0].name;
  for (int i = 1; i < 4; i++)
    if (limits[i].blocks < held) { // never, where it is NaN
      held = limits[i].blocks;
      out->limiter = limits[i].name;
    }
  SET(BLOCKS_PER_SM) = held;
  SET(OCCUPANCY) = 100.0 * held * (double)block_warps / l->warps;
  SET(WAVES) = held >= 1 ? (double)blocks / (held * l->multiprocessors) : NAN;
  SET(ACHIEVED_OCCUPANCY) =
      held >= 1 ? achieved(l, blocks, block_warps, (uint64_t)held) : NAN;
#undef SET
}

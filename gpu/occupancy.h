// SPDX-License-Identifier: Apache-2.0
// Occupancy: how many warps a multiprocessor has room for, and what limits it.
#ifndef GPU_OCCUPANCY_H
#define GPU_OCCUPANCY_H

#include "gpu/counters.h"

// What a multiprocessor has, and what a block takes of it.
struct gpu_occupancy_limits {
  uint32_t multiprocessors;
  uint32_t warps, blocks, registers; // of one
  uint64_t shared_bytes;             // of one, with the reserved part
  uint32_t shared_reserved;          // of each block
};

enum { GPU_SHAPE_COUNT = GPU_METRIC_COUNT - GPU_METRIC_BLOCKS };

struct gpu_occupancy {
  double value[GPU_SHAPE_COUNT]; // NaN where it is not known
  const char *limiter;           // "registers", "shared memory", ...
};

// Limits from a device's attributes (gpu_device_info.attributes).
void gpu_occupancy_limits(const int64_t *attributes,
                          struct gpu_occupancy_limits *out);

// `registers` and `spill_bytes` are -1 where nobody knows.
struct gpu_occupancy_need {
  uint32_t grid[3], block[3];
  uint32_t shared_static, shared_dynamic;
  int registers;
  int64_t spill_bytes;
};
void gpu_occupancy_compute(const struct gpu_occupancy_limits *limits,
                           const struct gpu_occupancy_need *need,
                           struct gpu_occupancy *out);

static inline double gpu_occupancy_value(const struct gpu_occupancy *o,
                                         enum gpu_metric m) {
  unsigned n = (unsigned)m - GPU_METRIC_BLOCKS;
  return o->value[n < GPU_SHAPE_COUNT ? n : 0];
}

#endif

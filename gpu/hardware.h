// SPDX-License-Identifier: Apache-2.0
// What a real GPU counted of launches by itself; gpu/hardware.def lists it.
#ifndef GPU_HARDWARE_H
#define GPU_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

enum gpu_hardware_row {
#define HARDWARE(name, ...) GPU_HARDWARE_##name,
#include "gpu/hardware.def"
#undef HARDWARE
  GPU_HARDWARE_COUNT
};

struct gpu_hardware_metric {
  const char *name;   // in Lua
  const char *nsight; // Nsight Compute's
  const char *unit;
  const char *meaning; // one sentence
  int metric;          // enum gpu_metric that the virtual GPU counts it in; -1
};

extern const struct gpu_hardware_metric
    gpu_hardware_metrics[GPU_HARDWARE_COUNT];

// The row of that Lua or Nsight Compute name; -1 when there is none.
int gpu_hardware_find(const char *name);

// Of one launch, or of several of one kernel and size.
struct gpu_hardware {
  char function[256]; // mangled
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_dynamic;
  uint32_t launches;
  uint32_t
      passes;   // that a launch was run in: a GPU counts a few things at a time
  bool is_cold; // caches were empty before each
  double value[GPU_HARDWARE_COUNT]; // NaN: this GPU does not count it
};

// Are these of one kernel, with one grid, block and shared memory?
bool gpu_hardware_is_alike(const struct gpu_hardware *a,
                           const struct gpu_hardware *b);
// Adds the counts of more launches: sums are added up, active_lanes is the sums'
// ratio, of other ratios the mean is taken with the launches' times as weights.
void gpu_hardware_add(struct gpu_hardware *sum,
                      const struct gpu_hardware *more);

#endif

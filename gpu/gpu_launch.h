// SPDX-License-Identifier: Apache-2.0
// Kernels, launches and fills as data.
#ifndef GPU_GPU_LAUNCH_H
#define GPU_GPU_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu_handle.h"

enum { GPU_MAX_PARAMS = 64, GPU_MAX_PARAM_BYTES = 4096 };

// What a loaded kernel needs, in bytes where no unit is named.
struct gpu_function_info {
  int32_t registers; // per thread; -1 when unknown
  uint32_t local_bytes;
  uint32_t shared_bytes; // static
  uint32_t const_bytes;
  uint32_t max_threads_per_block;
  uint32_t param_count;
  uint32_t param_bytes; // of the whole parameter block
  struct {
    uint32_t offset;
    uint32_t bytes;
  } params[GPU_MAX_PARAMS];
};

enum gpu_launch_flags {
  GPU_LAUNCH_COOPERATIVE = 1,
  GPU_LAUNCH_UNCHECKED = 2, // the virtual GPU may skip all but bounds checks
  GPU_LAUNCH_COUNT = 4,     // the virtual GPU counts what it does, for `counts`
  GPU_LAUNCH_TRACE = 8,     // and follows what results are made of, for
                            // `placement`: slowly, on one core
  GPU_LAUNCH_IN_ORDER = 16, // the virtual GPU runs blocks one after another, so
                            // that its cost is the same on every machine
  // What memory costs counts against grid_budget, which else ends only what may
  // never end.
  GPU_LAUNCH_PAYS_MEMORY = 32,
  GPU_LAUNCH_ACCESSES = 64, // of a counted launch: a row for each access,
  GPU_LAUNCH_FEEDS = 128,   // which says whether it feeds a result: followed as
                            // with GPU_LAUNCH_TRACE, in place of that
  GPU_LAUNCH_REQUESTS = 256, // of a counted launch: each request is kept, for
                             // `requests`: on one core
};

struct gpu_launch {
  gpu_handle function;
  gpu_handle stream;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes; // dynamic
  uint32_t flags;        // enum gpu_launch_flags
  uint64_t budget;       // instructions of one thread before `timeout` on the
                         // virtual GPU; 0 is the device's default
  uint64_t grid_budget;  // work of all its warps together, likewise: an
                         // instruction of one warp costs 1, slow ones more
  uint32_t node;         // of a captured launch: its number in the graph, from
                         // 1; findings have it. 0: no node
  uint32_t param_bytes;
  const void *params; // the parameter block, laid out as
                      // gpu_function_info.params says
};

// What loads and launches were charged, in the units of grid_budget.
struct gpu_work {
  uint64_t all;
  uint64_t loads;    // of those, modules that were loaded
  uint64_t prints;   // device printf
  uint64_t mistakes; // findings, one thread at a time
  uint64_t cells;    // memory that is looked at closely, for races
};

// Elements of device memory that all get one value.
struct gpu_fill {
  gpu_ptr to;
  uint32_t value;
  unsigned width; // of an element: 1, 2 or 4 bytes
  size_t count;
  gpu_handle stream;
};

// In a device's schedule_seed: the lanes of a warp part, too, at volatile and
// relaxed reads, and go on in no step until they wait for each other.
enum { GPU_SCHEDULE_APART = 1 << 20 };

#endif

// SPDX-License-Identifier: Apache-2.0
// A real GPU's own counters, through CUPTI's range profiler. Needs nothing of NVIDIA's
// to build: the library is opened at run time.
//
// It runs each kernel several times, with the memory it changed put back in between,
// and needs files of the driver's when it starts: a process that gives up the file
// system first runs one kernel (cupti_target.try_one) while it has it.
#ifndef GPU_CUPTI_CUPTI_H
#define GPU_CUPTI_CUPTI_H

#include "base/err.h"
#include "gpu/gpu.h"

struct cupti;

struct cupti_target {
  void *context; // the driver's, current
  int ordinal;   // of its device
  // Launches a kernel of one warp and waits for it.
  enum err (*try_one)(void *target, struct err_info *e);
  void *target;
  const char *driver_params; // for tests; NULL: /proc/driver/nvidia/params
};

// Opens the library and proves that it counts. ERR_UNSUPPORTED, and a text that says
// what is the case and what to do, where it does not; nothing is left behind then.
enum err cupti_open(const struct cupti_target *target, struct cupti **out,
                    struct err_info *e);
void cupti_close(struct cupti *c);

// Around one launch, and the wait for its end: between the two the launch blocks.
// `out` gets the values, the passes and whether caches were empty; the rest of it is
// the caller's to fill in.
enum err cupti_begin(struct cupti *c, struct err_info *e);
enum err cupti_end(struct cupti *c, struct gpu_hardware *out,
                   struct err_info *e);

// The library and its version, such as 130001 or 28.
const char *cupti_library(const struct cupti *c);

#endif

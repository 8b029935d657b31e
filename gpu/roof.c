// SPDX-License-Identifier: Apache-2.0
// How fast a GPU can be at most. Memory moves data twice a clock over its bus;
// a multiprocessor has 128 lanes of f32 at most, and a fused multiply-add is two
// operations (CUDA C++ Programming Guide, "Arithmetic Instructions").
#include "gpu/roof.h"

#include <math.h>

#include "gpu/gpu.h"

void gpu_roof_device(const int64_t attributes[], struct gpu_roof_device *out) {
  const int64_t *a = attributes;
  *out = (struct gpu_roof_device){
      .bytes_per_us = 2e-3 * (double)a[GPU_ATTR_MEMORY_CLOCK_RATE_KHZ] *
                      (double)a[GPU_ATTR_MEMORY_BUS_WIDTH_BITS] / 8,
      .operations_per_us = 256e-3 * (double)a[GPU_ATTR_CLOCK_RATE_KHZ] *
                           (double)a[GPU_ATTR_MULTIPROCESSOR_COUNT],
      .cache_bytes = (double)a[GPU_ATTR_L2_CACHE_BYTES],
  };
}

static double at_rate(double work, double per_us) {
  return work > 0 && per_us > 0 ? work / per_us : 0;
}

double gpu_roof_us(const struct gpu_roof_device *d, double bytes,
                   double operations) {
  return fmax(at_rate(bytes, d->bytes_per_us),
              at_rate(operations, d->operations_per_us));
}

// A launch that ran before has left in the cache what fits there: so much of its
// bytes need not come from memory.
static double least_us(const struct gpu_roof_device *d,
                       const struct gpu_roof_work *w) {
  double cached = w->is_cold ? 0 : fmin(w->bytes, d->cache_bytes);
  return gpu_roof_us(d, w->bytes - cached, w->operations);
}

void gpu_roof_judge(const struct gpu_roof_device *d,
                    const struct gpu_roof_work *w, double us,
                    struct gpu_roof *out) {
  double roof = gpu_roof_us(d, w->bytes, w->operations);
  *out = (struct gpu_roof){.kind = GPU_ROOF_UNKNOWN, .roof_us = roof};
  if (roof <= 0 || !(us > 0))
    return;
  out->percent = 100 * roof / us;
  out->by_operations = at_rate(w->operations, d->operations_per_us) >= roof;
  if (us >= roof)
    out->kind = GPU_ROOF_SHARE;
  else
    out->kind = us >= least_us(d, w) ? GPU_ROOF_CACHED
                : w->is_assumed      ? GPU_ROOF_PART
                                     : GPU_ROOF_CANNOT;
}

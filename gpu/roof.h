// SPDX-License-Identifier: Apache-2.0
// The roof: how fast a GPU can be at most, by its own figures, and what a
// measured time is beside it.
#ifndef GPU_ROOF_H
#define GPU_ROOF_H

#include <stdbool.h>
#include <stdint.h>

// Of a device, by its attributes; 0: it does not say.
struct gpu_roof_device {
  double bytes_per_us;      // of its memory
  double operations_per_us; // of f32
  double cache_bytes;       // of L2
};
void gpu_roof_device(const int64_t attributes[], struct gpu_roof_device *out);

// What a launch cannot do without.
struct gpu_roof_work {
  double bytes;      // from and to memory, each once; 0: not known
  double operations; // of f32; 0: not known
  bool is_cold;      // nothing of it lay in the L2 cache
  bool is_assumed;   // bytes are those of all arrays, which it need not touch
};

// The larger of bytes / bandwidth and operations / rate; 0: neither is known.
double gpu_roof_us(const struct gpu_roof_device *d, double bytes,
                   double operations);

enum gpu_roof_kind {
  GPU_ROOF_UNKNOWN, // of the device, or of the work
  GPU_ROOF_SHARE,   // of the roof, in `percent`
  GPU_ROOF_CACHED,  // above that of the memory: the L2 cache may have held it
  GPU_ROOF_CANNOT,  // it cannot be: even so, it is too short
  GPU_ROOF_PART,    // likewise, of bytes that were assumed: it left some alone
};

struct gpu_roof {
  enum gpu_roof_kind kind;
  double roof_us; // what the work takes at least where memory brings all of it
  double percent; // of the roof that was reached
  bool by_operations;
};

// What a launch of that work is that took `us`.
void gpu_roof_judge(const struct gpu_roof_device *d,
                    const struct gpu_roof_work *w, double us,
                    struct gpu_roof *out);

#endif

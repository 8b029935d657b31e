// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point, one value at a time, rounded once.
#ifndef GPU_VGPU_OPS_HALF_H
#define GPU_VGPU_OPS_HALF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/ops/ops.h"

// The same as vg_half_to_double (ops.h), of f16. Its bits, as those of a double,
// are a number that is smaller by a power of two.
static inline double vg_f16_to_double(uint16_t h) {
  union {
    uint64_t u;
    double d;
  } v = {(uint64_t)(h & 0x7FFF) << 42};
  double x = v.d * 0x1p1008;
  if ((h & 0x7C00) == 0x7C00)
    x = h & 0x3FF ? (double)NAN : (double)INFINITY;
  return h & 0x8000 ? -x : x;
}

// Rounds by enum ptx_round (RN, RZ, RM, RP); a value beyond the largest gives
// infinity or the largest, as the mode says; NaN gives the canonical NaN.
uint16_t vg_half_from_double(double x, enum vg_half kind, int round);

uint16_t vg_half_add(uint16_t x, uint16_t y, enum vg_half kind);

// x * y + z with a single rounding, to a double whose last bit is sticky: it
// rounds to 16 bits as the exact value would.
double vg_fma_sticky(double x, double y, double z);

// Is x, other than NaN, less than the smallest normal number (`least`) after it
// is rounded as if there were no least exponent? That is what .ftz flushes, as
// an H200 shows. `unit` is the last place of 1.
static inline bool vg_is_tiny(double x, double least, double unit, int round) {
  double a = fabs(x);
  bool is_up =
      (round == PTX_RP && !signbit(x)) || (round == PTX_RM && signbit(x));
  if (is_up)
    return a <= least - least * unit / 2;
  bool is_down = round == PTX_RZ || round == PTX_RM || round == PTX_RP;
  return a < (is_down ? least : least - least * unit / 4);
}

#endif

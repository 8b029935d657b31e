// SPDX-License-Identifier: Apache-2.0
// Which NaN an f64 operation gives. Hosts differ in it, and compilers exchange the
// operands of sums and products; so it is a rule of ours: the first operand that is
// a NaN, made quiet; where none is, 0xFFF8000000000000, as NVIDIA's GPUs give.
// (PTX ISA: "NaN payloads are preserved", and no more.)
#ifndef GPU_VGPU_OPS_NAN64_H
#define GPU_VGPU_OPS_NAN64_H

#include <stdint.h>
#include <string.h>

static inline double vg_quiet64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits |= UINT64_C(1) << 51;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The NaN of an operation of those operands; one that it does not have is 0.
static inline double vg_nan64(double x, double y, double z) {
  return x != x   ? vg_quiet64(x)
         : y != y ? vg_quiet64(y)
         : z != z ? vg_quiet64(z)
                  : -__builtin_nan("");
}

// The result r of an operation of x and y.
static inline double vg_result64(double x, double y, double r) {
  return r == r ? r : vg_nan64(x, y, 0);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Evenly spaced numbers.
#include "kernels/width.h"

// Counted in 32 bits, which the compiler can turn into doubles side by side.
// The sum `base + i` is exact below 2^53, and so the same as that of 64 bits.
void WIDTH(range_floats)(double *restrict out, double start, double step,
                         int64_t from, int n) {
  const double base = (double)from;
  for (int i = 0; i < n; i++)
    out[i] = start + (base + (double)i) * step;
}

// Wraps, and does so in unsigned arithmetic.
void WIDTH(range_integers)(int64_t *restrict out, int64_t start, int64_t step,
                           int64_t from, int n) {
  const uint64_t by = (uint64_t)step;
  const uint64_t first = (uint64_t)start + (uint64_t)from * by;
  for (int i = 0; i < n; i++)
    out[i] = (int64_t)(first + (uint64_t)i * by);
}

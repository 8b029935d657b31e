// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/integrate-2d: the part of the integral of sin(x
// + y) over the unit square that 128 columns have, by the middle of n times
// n cells. In double, one row after the other; the exercise bounds what any
// order is off by.
#include <math.h>

#include "kernels/reference/call.h"

void reference_integrate_2d(const struct reference_call *call) {
  enum { BLOCK = 128 };
  int64_t n = reference_int(call, 2), blocks = reference_count(call, 1);
  const double *middle = reference_f64(call, 0, n);
  double *sums = reference_f64(call, 1, blocks), h = 1 / (double)n;
  if (!middle)
    return;
  for (int64_t b = 0; b < blocks; b++) {
    double sum = 0;
    for (int64_t c = b * BLOCK; c < n && c < (b + 1) * BLOCK; c++)
      for (int64_t r = 0; r < n; r++)
        sum += sin(middle[c] + middle[r]);
    sums[b] = sum * h * h;
  }
}

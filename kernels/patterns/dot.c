// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/dot: the dot product of each two rows: products
// and sums in double, rounded once. The inputs are such that any order gives
// the same float.
#include "kernels/reference/call.h"

void reference_dot(const struct reference_call *call) {
  int64_t rows = reference_count(call, 2), columns = reference_int(call, 3);
  const float *x = reference_f32(call, 0, rows * columns);
  const float *y = reference_f32(call, 1, rows * columns);
  float *out = reference_f32(call, 2, rows);
  if (!x || !y)
    return;
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t i = r * columns; i < (r + 1) * columns; i++)
      sum += (double)x[i] * y[i];
    out[r] = (float)sum;
  }
}

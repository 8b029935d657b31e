// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/axis-sum: the sum of each column, from the
// first row on in double, rounded once. The inputs are such that any order
// gives the same float.
#include "kernels/reference/call.h"

void reference_axis_sum(const struct reference_call *call) {
  int64_t rows = reference_int(call, 2), columns = reference_int(call, 3);
  const float *x = reference_f32(call, 0, rows * columns);
  float *out = reference_f32(call, 1, columns);
  if (!x || !out)
    return;
  for (int64_t c = 0; c < columns; c++) {
    double sum = 0;
    for (int64_t r = 0; r < rows; r++)
      sum += x[r * columns + c];
    out[c] = (float)sum;
  }
}

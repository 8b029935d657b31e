// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/spmv and exercises/spmv-warp: a matrix of
// compressed rows times a vector: products and sums in double, along the
// row, rounded once. The inputs are such that any order gives the same
// float.
#include "kernels/reference/call.h"

void reference_spmv(const struct reference_call *call) {
  int64_t rows = reference_int(call, 5);
  const int32_t *start = reference_i32(call, 0, rows + 1);
  const int32_t *column = reference_i32(call, 1, 0);
  const float *value = reference_f32(call, 2, 0),
              *x = reference_f32(call, 3, 0);
  float *y = reference_f32(call, 4, rows);
  if (!start || !y)
    return;
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t k = start[r]; k < start[r + 1]; k++) {
      if (!reference_has(call, 1, k) || !reference_has(call, 2, k) ||
          !reference_has(call, 3, column[k]))
        return;
      sum += (double)value[k] * x[column[k]];
    }
    y[r] = (float)sum;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/kahan: the sum of each row, added from left to
// right in double and rounded once: 53 digits for numbers of 24, so that its
// own error is far below the float's.
#include "kernels/reference/call.h"

void reference_row_sums(const struct reference_call *call) {
  int64_t rows = reference_int(call, 2), columns = reference_int(call, 3);
  const float *x = reference_f32(call, 0, rows * columns);
  float *out = reference_f32(call, 1, rows);
  if (!x || !out)
    return;
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t c = 0; c < columns; c++)
      sum += x[r * columns + c];
    out[r] = (float)sum;
  }
}

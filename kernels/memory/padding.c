// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/padding: the sums of rows of 32, from left to
// right in double, rounded once.
#include "kernels/reference/call.h"

void reference_padding(const struct reference_call *call) {
  enum { COLUMNS = 32 };
  int64_t rows = reference_int(call, 2);
  const float *m = reference_f32(call, 0, rows * COLUMNS);
  float *sums = reference_f32(call, 1, rows);
  if (!m || !sums)
    return;
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t c = 0; c < COLUMNS; c++)
      sum += m[r * COLUMNS + c];
    sums[r] = (float)sum;
  }
}

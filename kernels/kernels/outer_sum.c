// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/outer-sum: out[r][c] is a[r] + b[c], one IEEE
// addition.
#include "kernels/reference/call.h"

void reference_outer_sum(const struct reference_call *call) {
  int64_t rows = reference_int(call, 3), columns = reference_int(call, 4);
  const float *a = reference_f32(call, 0, rows);
  const float *b = reference_f32(call, 1, columns);
  float *out = reference_f32(call, 2, rows * columns);
  if (!a || !b || !out)
    return;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++)
      out[r * columns + c] = a[r] + b[c];
}

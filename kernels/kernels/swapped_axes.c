// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/swapped-axes: v[c] is added to column c of
// every row, one IEEE addition each.
#include "kernels/reference/call.h"

void reference_swapped_axes(const struct reference_call *call) {
  int64_t rows = reference_int(call, 2), columns = reference_int(call, 3);
  float *m = reference_f32(call, 0, rows * columns);
  const float *v = reference_f32(call, 1, columns);
  if (!m || !v)
    return;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++)
      m[r * columns + c] += v[c];
}

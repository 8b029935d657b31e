// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/transpose-naive and exercises/transpose-tiled:
// columns become rows. Values are moved, not computed.
#include "kernels/reference/call.h"

void reference_transpose(const struct reference_call *call) {
  int64_t rows = reference_int(call, 2), columns = reference_int(call, 3);
  const float *x = reference_f32(call, 0, rows * columns);
  float *out = reference_f32(call, 1, rows * columns);
  if (!x || !out)
    return;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++)
      out[c * rows + r] = x[r * columns + c];
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/by-columns: row r times f[r], one IEEE product
// for each element.
#include "kernels/reference/call.h"

void reference_by_columns(const struct reference_call *call) {
  int64_t rows = reference_int(call, 3), columns = reference_int(call, 4);
  const float *m = reference_f32(call, 0, rows * columns);
  const float *f = reference_f32(call, 1, rows);
  float *out = reference_f32(call, 2, rows * columns);
  if (!m || !f || !out)
    return;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++)
      out[r * columns + c] = m[r * columns + c] * f[r];
}

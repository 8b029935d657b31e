// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/nan-at-17: each row divided by the largest size
// in it, one IEEE division; a row of zeros stays one.
#include <math.h>

#include "kernels/reference/call.h"

void reference_nan_at_17(const struct reference_call *call) {
  int64_t rows = reference_int(call, 2), columns = reference_int(call, 3);
  const float *x = reference_f32(call, 0, rows * columns);
  float *out = reference_f32(call, 1, rows * columns);
  if (!x || !out)
    return;
  for (int64_t r = 0; r < rows; r++) {
    const float *row = &x[r * columns];
    float largest = 0;
    for (int64_t c = 0; c < columns; c++)
      if (largest < fabsf(row[c]))
        largest = fabsf(row[c]);
    for (int64_t c = 0; c < columns; c++)
      out[r * columns + c] = largest > 0 ? row[c] / largest : 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/tile-race: a product of square matrices:
// products and sums in double, from the first on, rounded once. They are
// whole numbers that a float holds.
#include "kernels/reference/call.h"

void reference_tile_race(const struct reference_call *call) {
  int64_t n = reference_int(call, 3);
  const float *a = reference_f32(call, 0, n * n);
  const float *b = reference_f32(call, 1, n * n);
  float *c = reference_f32(call, 2, n * n);
  if (!a || !b || !c)
    return;
  for (int64_t row = 0; row < n; row++)
    for (int64_t column = 0; column < n; column++) {
      double sum = 0;
      for (int64_t i = 0; i < n; i++)
        sum += (double)a[row * n + i] * b[i * n + column];
      c[row * n + column] = (float)sum;
    }
}

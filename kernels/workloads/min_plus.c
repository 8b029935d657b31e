// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/min-plus: the shortest of all ways over one
// port. A sum of two lengths is one IEEE addition, and a minimum rounds
// nothing; no way at all is infinitely long.
#include <math.h>

#include "kernels/reference/call.h"

void reference_min_plus(const struct reference_call *call) {
  int64_t m = reference_int(call, 3), k = reference_int(call, 4);
  int64_t n = reference_int(call, 5);
  const float *a = reference_f32(call, 0, m * k);
  const float *b = reference_f32(call, 1, k * n);
  float *c = reference_f32(call, 2, m * n);
  if (!a || !b || !c)
    return;
  for (int64_t row = 0; row < m; row++)
    for (int64_t column = 0; column < n; column++) {
      float best = INFINITY;
      for (int64_t i = 0; i < k; i++) {
        float length = a[row * k + i] + b[i * n + column];
        best = length < best ? length : best;
      }
      c[row * n + column] = best;
    }
}

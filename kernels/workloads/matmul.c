// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/matmul and exercises/matmul-tiled: a product of
// matrices: products and sums in double, along k, rounded once. The inputs
// are such that any order gives the same float.
#include "kernels/reference/call.h"

void reference_matmul(const struct reference_call *call) {
  int64_t m = reference_int(call, 3), k = reference_int(call, 4);
  int64_t n = reference_int(call, 5);
  const float *a = reference_f32(call, 0, m * k);
  const float *b = reference_f32(call, 1, k * n);
  float *c = reference_f32(call, 2, m * n);
  if (!a || !b || !c)
    return;
  for (int64_t row = 0; row < m; row++)
    for (int64_t column = 0; column < n; column++) {
      double sum = 0;
      for (int64_t i = 0; i < k; i++)
        sum += (double)a[row * k + i] * b[i * n + column];
      c[row * n + column] = (float)sum;
    }
}

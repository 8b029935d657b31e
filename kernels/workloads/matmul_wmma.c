// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/matmul-wmma: a product of square matrices of
// halves: products and sums in double, rounded to float once. They are whole
// numbers that a float holds.
#include "base/dtype.h"
#include "kernels/reference/call.h"

void reference_matmul_wmma(const struct reference_call *call) {
  int64_t n = reference_int(call, 3);
  const uint16_t *a = reference_f16(call, 0, n * n);
  const uint16_t *b = reference_f16(call, 1, n * n);
  float *c = reference_f32(call, 2, n * n);
  if (!a || !b || !c)
    return;
  for (int64_t row = 0; row < n; row++)
    for (int64_t column = 0; column < n; column++) {
      double sum = 0;
      for (int64_t i = 0; i < n; i++)
        sum += (double)dtype_f16_to_float(a[row * n + i]) *
               dtype_f16_to_float(b[i * n + column]);
      c[row * n + column] = (float)sum;
    }
}

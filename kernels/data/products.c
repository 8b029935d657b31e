// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/products: of each pair of columns the sum of the
// products. In double: no product of the inputs is rounded in float either.
#include "kernels/reference/call.h"

void reference_products(const struct reference_call *call) {
  int64_t n = reference_int(call, 2), d = reference_int(call, 3);
  const float *x = reference_f32(call, 0, n * d);
  float *sums = reference_f32(call, 1, d * d);
  if (!x || !sums)
    return;
  for (int64_t a = 0; a < d; a++)
    for (int64_t b = 0; b < d; b++) {
      double sum = 0;
      for (int64_t i = 0; i < n; i++)
        sum += (double)x[a * n + i] * x[b * n + i];
      sums[a * d + b] = (float)sum;
    }
}

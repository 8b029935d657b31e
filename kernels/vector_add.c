// SPDX-License-Identifier: Apache-2.0
// The reference of kernels/vector_add.cu: one IEEE addition for each element.
#include "kernels/reference.h"

void reference_vector_add(const struct reference_call *call) {
  int64_t n = reference_int(call, 3);
  const float *x = reference_f32(call, 0, n), *y = reference_f32(call, 1, n);
  float *out = reference_f32(call, 2, n);
  if (!x || !y || !out)
    return;
  for (int64_t i = 0; i < n; i++)
    out[i] = x[i] + y[i];
}

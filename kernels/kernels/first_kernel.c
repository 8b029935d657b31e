// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/first-kernel: one IEEE addition for each
// element.
#include "kernels/reference/call.h"

void reference_first_kernel(const struct reference_call *call) {
  int64_t n = reference_count(call, 1);
  const float *x = reference_f32(call, 0, n);
  float *out = reference_f32(call, 1, n), by = reference_float(call, 2);
  if (!x)
    return;
  for (int64_t i = 0; i < n; i++)
    out[i] = x[i] + by;
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/one-too-many: one IEEE product for each
// element.
#include "kernels/reference/call.h"

void reference_one_too_many(const struct reference_call *call) {
  int64_t n = reference_int(call, 3);
  const float *x = reference_f32(call, 0, n);
  float *out = reference_f32(call, 1, n), factor = reference_float(call, 2);
  if (!x || !out)
    return;
  for (int64_t i = 0; i < n; i++)
    out[i] = factor * x[i];
}

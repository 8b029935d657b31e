// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/hidden-double: 0.5 + 0.25 x - 0.125 x x in
// double, rounded once. The inputs have so few digits that float gives the
// same bits.
#include "kernels/reference/call.h"

void reference_hidden_double(const struct reference_call *call) {
  int64_t n = reference_int(call, 2);
  const float *x = reference_f32(call, 0, n);
  float *out = reference_f32(call, 1, n);
  if (!x || !out)
    return;
  for (int64_t i = 0; i < n; i++) {
    double v = x[i];
    out[i] = (float)(0.5 + 0.25 * v - 0.125 * v * v);
  }
}

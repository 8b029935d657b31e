// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/block-stride: one IEEE addition for each
// element, in place.
#include "kernels/reference/call.h"

void reference_block_stride(const struct reference_call *call) {
  int64_t n = reference_int(call, 2);
  float *x = reference_f32(call, 0, n), y = reference_float(call, 1);
  if (!x)
    return;
  for (int64_t i = 0; i < n; i++)
    x[i] += y;
}

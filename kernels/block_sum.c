// SPDX-License-Identifier: Apache-2.0
// The reference of kernels/block_sum.cu: each block's sum in double, rounded
// once at the end.
#include "kernels/reference.h"

void reference_block_sum(const struct reference_call *call) {
  int64_t n = reference_int(call, 2), blocks = call->grid[0];
  int64_t threads = call->block[0];
  const float *x = reference_f32(call, 0, n);
  float *out = reference_f32(call, 1, blocks);
  if (!x || !out)
    return;
  for (int64_t b = 0; b < blocks; b++) {
    double sum = 0;
    for (int64_t i = b * threads; i < n && i < (b + 1) * threads; i++)
      sum += x[i];
    out[b] = (float)sum;
  }
}

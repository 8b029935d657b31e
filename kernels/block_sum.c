// SPDX-License-Identifier: Apache-2.0
// The reference of kernels/block_sum.cu: each block's sum in double, rounded
// once at the end.
#include "kernels/reference.h"

void reference_block_sum(const struct reference_call *call) {
  const float *x = call->args[0].data;
  float *out = call->args[1].data;
  int64_t n = call->args[2].integer, width = call->block[0];
  for (int64_t b = 0; b < call->grid[0]; b++) {
    double sum = 0;
    for (int64_t i = b * width; i < n && i < (b + 1) * width; i++)
      sum += x[i];
    out[b] = (float)sum;
  }
}

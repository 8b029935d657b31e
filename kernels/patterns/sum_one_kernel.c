// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/sum-one-kernel: each block's sum and the sum of
// all; the counter of blocks is zero again.
#include "kernels/reference/call.h"

void reference_sum_one_kernel(const struct reference_call *call) {
  int64_t n = reference_int(call, 4), threads = call->block[0];
  int64_t blocks = reference_count(call, 1), all = 0;
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *parts = reference_i32(call, 1, blocks);
  int32_t *total = reference_i32(call, 2, 1), *done = reference_i32(call, 3, 1);
  if (!x || !total || !done)
    return;
  for (int64_t b = 0; b < blocks; b++) {
    int64_t sum = 0;
    for (int64_t i = b * threads; i < n && i < (b + 1) * threads; i++)
      sum += x[i];
    parts[b] = (int32_t)sum;
    all += sum;
  }
  *total = (int32_t)all;
  *done = 0;
}

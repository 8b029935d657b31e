// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/warp-sum: the sum of each 32 elements.
#include "kernels/reference/call.h"

void reference_warp_sum(const struct reference_call *call) {
  enum { WARP = 32 };
  int64_t n = reference_int(call, 2), warps = reference_count(call, 1);
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *out = reference_i32(call, 1, warps);
  if (!x)
    return;
  for (int64_t w = 0; w < warps; w++) {
    int64_t sum = 0;
    for (int64_t i = w * WARP; i < n && i < (w + 1) * WARP; i++)
      sum += x[i];
    out[w] = (int32_t)sum;
  }
}

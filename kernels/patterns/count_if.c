// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/count-if: how many of each 32 elements are
// above the limit.
#include "kernels/reference/call.h"

void reference_count_if(const struct reference_call *call) {
  enum { WARP = 32 };
  int64_t n = reference_int(call, 3), warps = reference_count(call, 2);
  const float *x = reference_f32(call, 0, n), limit = reference_float(call, 1);
  int32_t *counts = reference_i32(call, 2, warps);
  if (!x)
    return;
  for (int64_t w = 0; w < warps; w++) {
    counts[w] = 0;
    for (int64_t i = w * WARP; i < n && i < (w + 1) * WARP; i++)
      counts[w] += x[i] > limit;
  }
}

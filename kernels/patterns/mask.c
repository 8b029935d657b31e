// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/mask: the largest of each 32 elements.
#include "kernels/reference/call.h"

void reference_mask(const struct reference_call *call) {
  enum { WARP = 32 };
  int64_t n = reference_int(call, 2), warps = reference_count(call, 1);
  int64_t heads = (warps - 1) * WARP + 1; // each warp has an element
  const int32_t *x = reference_i32(call, 0, n > heads ? n : heads);
  int32_t *top = reference_i32(call, 1, warps);
  if (!x)
    return;
  for (int64_t w = 0; w < warps; w++) {
    top[w] = x[w * WARP];
    for (int64_t i = w * WARP; i < n && i < (w + 1) * WARP; i++)
      top[w] = x[i] > top[w] ? x[i] : top[w];
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/max-index: the largest number in the upper
// half, and below it 2^32 - 1 minus the place where it stands first.
#include "kernels/reference/call.h"

void reference_max_index(const struct reference_call *call) {
  int64_t n = reference_int(call, 2), at = 0;
  const int32_t *x = reference_i32(call, 0, n > 1 ? n : 1);
  uint64_t *best = reference_u64(call, 1, 1);
  if (!x || !best)
    return;
  for (int64_t i = 1; i < n; i++)
    if (x[i] > x[at])
      at = i;
  *best = (uint64_t)x[at] << 32 | (UINT32_MAX - (uint64_t)at);
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/reverse-blocks: each block's elements from the
// last to the first. Values are moved, not computed.
#include "kernels/reference/call.h"

void reference_reverse_blocks(const struct reference_call *call) {
  int64_t blocks = call->grid[0], threads = call->block[0];
  const int32_t *x = reference_i32(call, 0, blocks * threads);
  int32_t *out = reference_i32(call, 1, blocks * threads);
  if (!x || !out)
    return;
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t t = 0; t < threads; t++)
      out[b * threads + t] = x[b * threads + threads - 1 - t];
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/positions: of each thread its number in the
// block, the number of its block, and its number among all.
#include "kernels/reference/call.h"

void reference_positions(const struct reference_call *call) {
  int64_t n = reference_count(call, 2), threads = call->block[0];
  int32_t *thread = reference_i32(call, 0, n);
  int32_t *block = reference_i32(call, 1, n);
  int32_t *number = reference_i32(call, 2, n);
  if (!thread || !block)
    return;
  for (int64_t i = 0; i < n; i++) {
    thread[i] = (int32_t)(i % threads);
    block[i] = (int32_t)(i / threads);
    number[i] = (int32_t)i;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/wrong-for-one-block: for each element how many
// of its block's are smaller.
#include "kernels/reference/call.h"

void reference_wrong_for_one_block(const struct reference_call *call) {
  int64_t n = reference_int(call, 2), threads = call->block[0];
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *place = reference_i32(call, 1, n);
  if (!x || !place)
    return;
  for (int64_t i = 0; i < n; i++) {
    int64_t first = i - i % threads;
    place[i] = 0;
    for (int64_t k = first; k < n && k < first + threads; k++)
      place[i] += x[k] < x[i];
  }
}

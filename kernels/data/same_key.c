// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/same-key: for each row the last one with its key.
#include "kernels/reference/call.h"

void reference_same_key(const struct reference_call *call) {
  int64_t n = reference_int(call, 4);
  const int32_t *keys = reference_i32(call, 0, n);
  int32_t *last = reference_i32(call, 1, n);
  if (!keys || !last)
    return;
  for (int64_t i = 0; i < n; i++) {
    int64_t k = n - 1;
    while (keys[k] != keys[i])
      k--;
    last[i] = (int32_t)k;
  }
}

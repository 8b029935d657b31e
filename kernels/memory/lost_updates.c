// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/lost-updates: each amount is added to its
// account, modulo 2^32, and the largest one kept.
#include "kernels/reference/call.h"

void reference_lost_updates(const struct reference_call *call) {
  int64_t n = reference_int(call, 4);
  const int32_t *to = reference_i32(call, 0, n);
  const int32_t *amount = reference_i32(call, 1, n);
  int32_t *account = reference_i32(call, 2, 0);
  int32_t *largest = reference_i32(call, 3, 1);
  if (!to || !amount || !account || !largest)
    return;
  for (int64_t i = 0; i < n; i++) {
    if (!reference_has(call, 2, to[i]))
      return;
    account[to[i]] = (int32_t)((uint32_t)account[to[i]] + (uint32_t)amount[i]);
    if (amount[i] > *largest)
      *largest = amount[i];
  }
}

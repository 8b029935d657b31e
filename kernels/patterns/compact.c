// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/compact: the positive elements side by side in
// their order, and how many they are. What lies behind them stays.
#include "kernels/reference/call.h"

void reference_compact(const struct reference_call *call) {
  int64_t n = reference_int(call, 8);
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *out = reference_i32(call, 1, n), *count = reference_i32(call, 2, 1);
  if (!x || !out || !count)
    return;
  *count = 0;
  for (int64_t i = 0; i < n; i++)
    if (x[i] > 0)
      out[(*count)++] = x[i];
}

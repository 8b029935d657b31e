// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/scan: of each element the sum of all before it,
// and the sum of all.
#include "kernels/reference/call.h"

void reference_scan(const struct reference_call *call) {
  int64_t n = reference_int(call, 7), sum = 0;
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *out = reference_i32(call, 1, n), *all = reference_i32(call, 6, 1);
  if (!x || !out || !all)
    return;
  for (int64_t i = 0; i < n; i++) {
    out[i] = (int32_t)sum;
    sum += x[i];
  }
  *all = (int32_t)sum;
}

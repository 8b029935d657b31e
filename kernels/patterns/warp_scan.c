// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/warp-scan: of each element the sum of those
// before it among its 32.
#include "kernels/reference/call.h"

void reference_warp_scan(const struct reference_call *call) {
  enum { WARP = 32 };
  int64_t n = reference_int(call, 2), sum = 0;
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *out = reference_i32(call, 1, n);
  if (!x || !out)
    return;
  for (int64_t i = 0; i < n; i++) {
    sum = i % WARP ? sum : 0;
    out[i] = (int32_t)sum;
    sum += x[i];
  }
}

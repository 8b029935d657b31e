// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/scan-block: of each element its sum with those
// before it in its block.
#include "kernels/reference/call.h"

void reference_scan_block(const struct reference_call *call) {
  int64_t n = reference_int(call, 2), threads = call->block[0], sum = 0;
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *out = reference_i32(call, 1, n);
  if (!x || !out)
    return;
  for (int64_t i = 0; i < n; i++) {
    sum = (i % threads ? sum : 0) + x[i];
    out[i] = (int32_t)sum;
  }
}

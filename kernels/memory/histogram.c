// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/histogram and exercises/histogram-shared: how
// often each byte occurs, on top of what the bins hold.
#include "kernels/reference/call.h"

void reference_histogram(const struct reference_call *call) {
  int64_t n = reference_int(call, 2);
  const uint8_t *x = reference_u8(call, 0, n);
  int32_t *bins = reference_i32(call, 1, 256);
  if (!x || !bins)
    return;
  for (int64_t i = 0; i < n; i++)
    bins[x[i]]++;
}

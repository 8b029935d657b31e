// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/never-ends: how many numbers of a sorted array
// are below each wanted one, by halving.
#include "kernels/reference/call.h"

void reference_never_ends(const struct reference_call *call) {
  int64_t n = reference_int(call, 3), keys = reference_int(call, 4);
  const int32_t *sorted = reference_i32(call, 0, n);
  const int32_t *wanted = reference_i32(call, 1, keys);
  int32_t *out = reference_i32(call, 2, keys);
  if (!sorted || !wanted || !out)
    return;
  for (int64_t i = 0; i < keys; i++) {
    int64_t low = 0, high = n;
    while (low < high) {
      int64_t middle = (low + high) / 2;
      if (sorted[middle] < wanted[i])
        low = middle + 1;
      else
        high = middle;
    }
    out[i] = (int32_t)low;
  }
}

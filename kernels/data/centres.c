// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/centres: the points of each label are counted
// and their coordinates added up, on top of what is there. In float: the
// inputs are such that no sum is rounded.
#include "kernels/reference/call.h"

void reference_centres(const struct reference_call *call) {
  int64_t n = reference_int(call, 4), d = reference_int(call, 5);
  int64_t k = reference_int(call, 6);
  const float *x = reference_f32(call, 0, n * d);
  const int32_t *label = reference_i32(call, 1, n);
  float *sums = reference_f32(call, 2, k * d);
  int32_t *count = reference_i32(call, 3, k);
  if (!x || !label || !sums || !count)
    return;
  for (int64_t i = 0; i < n; i++) {
    int64_t j = label[i];
    if (j < 0 || j >= k) {
      reference_fail(call, "a label is that of no centre");
      return;
    }
    count[j]++;
    for (int64_t c = 0; c < d; c++)
      sums[j * d + c] += x[c * n + i];
  }
}

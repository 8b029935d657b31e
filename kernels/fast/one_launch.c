// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/one-launch: so many steps in which each element
// becomes 5 times itself and its right neighbour, of which the last three
// digits are kept; the neighbour of the last is the first.
#include "kernels/reference/call.h"

void reference_one_launch(const struct reference_call *call) {
  int64_t n = reference_int(call, 1), count = reference_int(call, 2);
  int32_t *x = reference_i32(call, 0, n);
  if (!x || n < 1)
    return;
  for (int64_t s = 0; s < count; s++) {
    int64_t first = x[0];
    for (int64_t i = 0; i < n; i++)
      x[i] = (int32_t)((5 * (int64_t)x[i] + (i + 1 < n ? x[i + 1] : first)) %
                       1000);
  }
}

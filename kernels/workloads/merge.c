// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/merge: two ascending lists as one, of equal
// numbers those of x first; and where each came from, of y as -1 - its
// place.
#include "kernels/reference/call.h"

void reference_merge(const struct reference_call *call) {
  int64_t m = reference_int(call, 4), n = reference_int(call, 5);
  const int32_t *x = reference_i32(call, 0, m), *y = reference_i32(call, 1, n);
  int32_t *out = reference_i32(call, 2, m + n);
  int32_t *from = reference_i32(call, 3, m + n);
  if (!x || !y || !out || !from)
    return;
  for (int64_t k = 0, i = 0, j = 0; k < m + n; k++) {
    bool is_x = j >= n || (i < m && x[i] <= y[j]);
    out[k] = is_x ? x[i] : y[j];
    from[k] = (int32_t)(is_x ? i++ : -1 - j++);
  }
}

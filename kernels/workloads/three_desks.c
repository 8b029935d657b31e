// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/three-desks: how far each number is from the
// nearest of x.
#include <stdlib.h>

#include "kernels/reference/call.h"

void reference_three_desks(const struct reference_call *call) {
  int64_t n = reference_int(call, 3), count = reference_count(call, 1);
  const int32_t *x = reference_i32(call, 0, n);
  const int32_t *mine = reference_i32(call, 1, count);
  int32_t *out = reference_i32(call, 2, count);
  if (!x || !out)
    return;
  for (int64_t i = 0; i < count; i++) {
    int64_t best = 2000000000;
    for (int64_t j = 0; j < n; j++) {
      int64_t apart = llabs((int64_t)x[j] - mine[i]);
      best = apart < best ? apart : best;
    }
    out[i] = (int32_t)best;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/double-buffer: of each element the sum of its
// distances from all.
#include <stdlib.h>

#include "kernels/reference/call.h"

void reference_double_buffer(const struct reference_call *call) {
  int64_t n = reference_int(call, 2);
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *out = reference_i32(call, 1, n);
  if (!x || !out)
    return;
  for (int64_t i = 0; i < n; i++) {
    int64_t sum = 0;
    for (int64_t j = 0; j < n; j++)
      sum += llabs((int64_t)x[i] - x[j]);
    out[i] = (int32_t)sum;
  }
}

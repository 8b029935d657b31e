// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/barrier-in-a-branch: of each 128 elements the
// largest difference of two side by side.
#include <stdlib.h>

#include "kernels/reference/call.h"

void reference_barrier_in_a_branch(const struct reference_call *call) {
  enum { BLOCK = 128 };
  int64_t n = reference_int(call, 2), blocks = reference_count(call, 1);
  const int32_t *x = reference_i32(call, 0, n);
  int32_t *gaps = reference_i32(call, 1, blocks);
  if (!x)
    return;
  for (int64_t b = 0; b < blocks; b++) {
    int64_t most = 0;
    for (int64_t i = b * BLOCK; i < n - 1 && i < (b + 1) * BLOCK - 1; i++) {
      int64_t gap = llabs((int64_t)x[i + 1] - x[i]);
      most = gap > most ? gap : most;
    }
    gaps[b] = (int32_t)most;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/bitonic: the elements of each block in
// ascending order.
#include <stdlib.h>

#include "kernels/reference/call.h"

static int compare(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

void reference_bitonic(const struct reference_call *call) {
  int64_t n = reference_int(call, 1), threads = call->block[0];
  int32_t *x = reference_i32(call, 0, n);
  if (!x)
    return;
  for (int64_t first = 0; first < n; first += threads) {
    int64_t count = n - first < threads ? n - first : threads;
    qsort(x + first, (size_t)count, sizeof *x, compare);
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/radix-pass: the keys in ascending order.
#include <stdlib.h>
#include <string.h>

#include "kernels/reference/call.h"

static int compare(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

void reference_radix_pass(const struct reference_call *call) {
  int64_t n = reference_int(call, 5);
  const int32_t *keys = reference_i32(call, 0, n);
  int32_t *out = reference_i32(call, 1, n);
  if (!keys || !out || n < 1)
    return;
  memcpy(out, keys, (size_t)n * sizeof *out);
  qsort(out, (size_t)n, sizeof *out, compare);
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/no-fence: the largest of each 32 elements, the
// largest of all, and how many blocks there were.
#include "kernels/reference/call.h"

void reference_no_fence(const struct reference_call *call) {
  enum { BLOCK = 32 };
  int64_t blocks = reference_count(call, 1);
  const int32_t *x = reference_i32(call, 0, blocks * BLOCK);
  int32_t *tops = reference_i32(call, 1, 1), *top = reference_i32(call, 2, 1);
  int32_t *done = reference_i32(call, 3, 1);
  if (!x || !tops || !top || !done)
    return;
  *top = x[0];
  for (int64_t b = 0; b < blocks; b++) {
    tops[b] = x[b * BLOCK];
    for (int64_t i = b * BLOCK; i < (b + 1) * BLOCK; i++)
      tops[b] = x[i] > tops[b] ? x[i] : tops[b];
    *top = tops[b] > *top ? tops[b] : *top;
  }
  *done = (int32_t)blocks;
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/no-barrier: the mean of an element and its
// neighbours within the block. The sum is exact in double for any three
// floats of like size; it is divided there, and rounded to float once more,
// which the exercise's one ulp allows.
#include "kernels/reference/call.h"

void reference_no_barrier(const struct reference_call *call) {
  int64_t blocks = call->grid[0], threads = call->block[0];
  const float *x = reference_f32(call, 0, blocks * threads);
  float *out = reference_f32(call, 1, blocks * threads);
  if (!x || !out)
    return;
  for (int64_t b = 0; b < blocks; b++, x += threads, out += threads)
    for (int64_t t = 0; t < threads; t++) {
      double sum = x[t];
      int count = 1;
      if (t > 0) {
        sum += x[t - 1];
        count++;
      }
      if (t < threads - 1) {
        sum += x[t + 1];
        count++;
      }
      out[t] = (float)(sum / count);
    }
}

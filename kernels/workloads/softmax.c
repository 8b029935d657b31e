// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/softmax and exercises/softmax-online: of each
// row of n the exponentials of the distances from its largest element, over
// their sum. All in double, from left to right, and rounded once: the
// exercises' bounds are for floats alone.
#include <math.h>

#include "kernels/reference/call.h"

static void softmax_row(const float *x, float *out, int64_t n) {
  double most = x[0], sum = 0;
  for (int64_t i = 0; i < n; i++)
    most = x[i] > most ? x[i] : most;
  for (int64_t i = 0; i < n; i++)
    sum += exp(x[i] - most);
  for (int64_t i = 0; i < n; i++)
    out[i] = (float)(exp(x[i] - most) / sum);
}

void reference_softmax(const struct reference_call *call) {
  int64_t n = reference_int(call, 2), all = reference_count(call, 1);
  const float *x = reference_f32(call, 0, all);
  float *out = reference_f32(call, 1, all);
  if (n < 1 || all % n)
    reference_fail(call, "out is not made of rows of n");
  if (!x || n < 1 || all % n)
    return;
  for (int64_t first = 0; first < all; first += n)
    softmax_row(x + first, out + first, n);
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/too-many-locals: a sum of Chebyshev
// polynomials, from the lowest one up, in double and rounded once. The
// inputs have so few digits that no way of adding rounds.
#include "kernels/reference/call.h"

void reference_too_many_locals(const struct reference_call *call) {
  int64_t n = reference_int(call, 3), degree = reference_int(call, 4);
  const float *x = reference_f32(call, 0, n);
  const float *c = reference_f32(call, 1, degree + 1);
  float *out = reference_f32(call, 2, n);
  if (!x || !c || !out)
    return;
  for (int64_t i = 0; i < n; i++) {
    double v = x[i], sum = 0, before = v, now = 1;
    for (int64_t k = 0; k <= degree; k++) {
      double next = 2 * v * now - before;
      sum += c[k] * now;
      before = now;
      now = next;
    }
    out[i] = (float)sum;
  }
}

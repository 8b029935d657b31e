// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/one-source-two-types: two polynomials of x by
// Horner's rule, one all in float and one all in double.
#include "kernels/reference/call.h"

void reference_one_source_two_types(const struct reference_call *call) {
  int64_t count = reference_int(call, 2), n = reference_int(call, 6);
  const float *c = reference_f32(call, 0, count),
              *x = reference_f32(call, 3, n);
  const double *d = reference_f64(call, 1, count);
  float *out = reference_f32(call, 4, n);
  double *fine = reference_f64(call, 5, n);
  if (!c || !d || !x || !out || !fine)
    return;
  for (int64_t i = 0; i < n; i++) {
    float coarse = 0;
    double sum = 0;
    for (int64_t k = count - 1; k >= 0; k--) {
      coarse = coarse * x[i] + c[k];
      sum = sum * x[i] + d[k];
    }
    out[i] = coarse;
    fine[i] = sum;
  }
}

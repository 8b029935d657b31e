// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/n-body: the pull of all bodies on each,
// softened by 1. All in double, in the order of the bodies, and rounded
// once: the exercise's bound is for floats alone.
#include <math.h>

#include "kernels/reference/call.h"

void reference_n_body(const struct reference_call *call) {
  int64_t n = reference_int(call, 5);
  const float *x = reference_f32(call, 0, n), *y = reference_f32(call, 1, n);
  const float *m = reference_f32(call, 2, n);
  float *out_x = reference_f32(call, 3, n), *out_y = reference_f32(call, 4, n);
  if (!x || !y || !m || !out_x || !out_y)
    return;
  for (int64_t i = 0; i < n; i++) {
    double ax = 0, ay = 0;
    for (int64_t j = 0; j < n; j++) {
      double dx = (double)x[j] - x[i], dy = (double)y[j] - y[i];
      double by = m[j] / pow(dx * dx + dy * dy + 1, 1.5);
      ax += by * dx;
      ay += by * dy;
    }
    out_x[i] = (float)ax;
    out_y[i] = (float)ay;
  }
}

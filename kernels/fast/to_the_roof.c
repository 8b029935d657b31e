// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/to-the-roof: weights on springs, step by step.
// All in double, and rounded once at the end: the exercise's bound is for
// floats alone.
#include "kernels/reference/call.h"

void reference_to_the_roof(const struct reference_call *call) {
  int64_t n = reference_int(call, 3), steps = reference_int(call, 4);
  float *x = reference_f32(call, 0, n), *v = reference_f32(call, 1, n);
  const float *k = reference_f32(call, 2, n);
  double h = reference_float(call, 5);
  if (!x || !v || !k)
    return;
  for (int64_t i = 0; i < n; i++) {
    double place = x[i], speed = v[i];
    for (int64_t s = 0; s < steps; s++) {
      speed -= h * k[i] * place;
      place += h * speed;
    }
    x[i] = (float)place;
    v[i] = (float)speed;
  }
}

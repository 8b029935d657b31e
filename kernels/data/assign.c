// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/assign: the nearest centre of each point, the
// first of several. Squares and sums in double, coordinate by coordinate;
// the inputs are such that float has the same.
#include <math.h>

#include "kernels/reference/call.h"

struct points {
  const float *x, *centres;
  int64_t n, d;
};

static double distance(const struct points *p, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t c = 0; c < p->d; c++) {
    double apart = (double)p->x[c * p->n + i] - p->centres[j * p->d + c];
    sum += apart * apart;
  }
  return sum;
}

void reference_assign(const struct reference_call *call) {
  struct points p = {.n = reference_int(call, 3), .d = reference_int(call, 4)};
  int64_t k = reference_int(call, 5);
  p.x = reference_f32(call, 0, p.n * p.d);
  p.centres = reference_f32(call, 1, k * p.d);
  int32_t *label = reference_i32(call, 2, p.n);
  if (!p.x || !p.centres || !label)
    return;
  for (int64_t i = 0; i < p.n; i++) {
    double best = INFINITY;
    label[i] = 0;
    for (int64_t j = 0; j < k; j++) {
      double now = distance(&p, i, j);
      if (now < best) {
        best = now;
        label[i] = (int32_t)j;
      }
    }
  }
}

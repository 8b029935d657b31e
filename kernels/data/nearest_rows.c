// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/nearest-rows: for each question the k rows with the
// least sums of squared differences, of equals the lower row first.
#include "kernels/reference/call.h"

struct points {
  const float *x, *questions;
  int64_t n, m, d;
};

static double distance_of(const struct points *p, int64_t row, int64_t q) {
  double sum = 0;
  for (int64_t c = 0; c < p->d; c++) {
    double apart = (double)p->x[c * p->n + row] - p->questions[c * p->m + q];
    sum += apart * apart;
  }
  return sum;
}

// Does row a come before row b, for question q?
static bool is_before(const struct points *p, int64_t q, int64_t a, int64_t b) {
  double first = distance_of(p, a, q), second = distance_of(p, b, q);
  return first < second || (first == second && a < b);
}

void reference_nearest_rows(const struct reference_call *call) {
  int64_t k = reference_int(call, 6);
  struct points p = {.n = reference_int(call, 3),
                     .m = reference_int(call, 4),
                     .d = reference_int(call, 5)};
  p.x = reference_f32(call, 0, p.n * p.d);
  p.questions = reference_f32(call, 1, p.m * p.d);
  int32_t *near = reference_i32(call, 2, p.m * k);
  if (!p.x || !p.questions || !near || k > p.n)
    return;
  for (int64_t q = 0; q < p.m; q++)
    for (int64_t i = 0; i < p.n; i++) {
      int64_t place = 0; // how many come before row i
      for (int64_t other = 0; other < p.n && place < k; other++)
        place += is_before(&p, q, other, i);
      if (place < k)
        near[q * k + place] = (int32_t)i;
    }
}

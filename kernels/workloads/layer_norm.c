// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/layer-norm: each row of n less its mean, over
// its spread, by gain and bias. All in double, from left to right, and
// rounded once: the exercise's bound is for floats alone.
#include <math.h>

#include "kernels/reference/call.h"

struct row {
  const float *x, *gain, *bias;
  int64_t n;
};

static void normalise(const struct row *r, double small, float *out) {
  double mean = 0, squares = 0, n = (double)r->n;
  for (int64_t c = 0; c < r->n; c++)
    mean += r->x[c] / n;
  for (int64_t c = 0; c < r->n; c++)
    squares += (r->x[c] - mean) * (r->x[c] - mean);
  double by = 1 / sqrt(squares / n + small);
  for (int64_t c = 0; c < r->n; c++)
    out[c] = (float)((r->x[c] - mean) * by * r->gain[c] + r->bias[c]);
}

void reference_layer_norm(const struct reference_call *call) {
  int64_t all = reference_count(call, 3), n = reference_int(call, 5);
  const float *x = reference_f32(call, 0, all);
  struct row r = {x, reference_f32(call, 1, n), reference_f32(call, 2, n), n};
  float *out = reference_f32(call, 3, all), small = reference_float(call, 4);
  if (n < 1 || all % n)
    reference_fail(call, "out is not made of rows of n");
  if (!x || !r.gain || !r.bias || n < 1 || all % n)
    return;
  for (int64_t first = 0; first < all; first += n) {
    r.x = x + first;
    normalise(&r, small, out + first);
  }
}

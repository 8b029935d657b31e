// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/filter-constant: the sum of nine cells by their
// weights, with nothing beyond the edges. In double, row by row, rounded
// once; the inputs are such that a float holds each sum.
#include "kernels/reference/call.h"

struct picture {
  const float *at, *weights;
  int64_t width, height;
};

static double weigh(const struct picture *p, int64_t x, int64_t y) {
  double sum = 0;
  for (int64_t dy = -1; dy <= 1; dy++)
    for (int64_t dx = -1; dx <= 1; dx++)
      if (x + dx >= 0 && x + dx < p->width && y + dy >= 0 && y + dy < p->height)
        sum += (double)p->weights[3 * dy + dx + 4] *
               p->at[(y + dy) * p->width + x + dx];
  return sum;
}

void reference_filter_constant(const struct reference_call *call) {
  struct picture p = {.weights = reference_f32(call, 0, 9),
                      .width = reference_int(call, 3),
                      .height = reference_int(call, 4)};
  p.at = reference_f32(call, 1, p.width * p.height);
  float *out = reference_f32(call, 2, p.width * p.height);
  if (!p.weights || !p.at || !out)
    return;
  for (int64_t y = 0; y < p.height; y++)
    for (int64_t x = 0; x < p.width; x++)
      out[y * p.width + x] = (float)weigh(&p, x, y);
}

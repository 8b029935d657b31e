// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/blur: the mean of a square of cells; beyond the
// edge it goes on as at the edge. The sum is exact in double; it is divided
// there and rounded to float, which the exercise's two ulps allow.
#include "kernels/reference/call.h"

struct picture {
  const float *at;
  int64_t rows, columns;
};

static int64_t clamp(int64_t i, int64_t n) {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double sum_around(const struct picture *p, int64_t r, int64_t c,
                         int64_t radius) {
  double sum = 0;
  for (int64_t dy = -radius; dy <= radius; dy++)
    for (int64_t dx = -radius; dx <= radius; dx++)
      sum += p->at[clamp(r + dy, p->rows) * p->columns +
                   clamp(c + dx, p->columns)];
  return sum;
}

void reference_blur(const struct reference_call *call) {
  struct picture p = {.rows = reference_int(call, 2),
                      .columns = reference_int(call, 3)};
  int64_t radius = reference_int(call, 4), side = 2 * radius + 1;
  p.at = reference_f32(call, 0, p.rows * p.columns);
  float *out = reference_f32(call, 1, p.rows * p.columns);
  if (!p.at || !out)
    return;
  for (int64_t r = 0; r < p.rows; r++)
    for (int64_t c = 0; c < p.columns; c++)
      out[r * p.columns + c] =
          (float)(sum_around(&p, r, c, radius) / (double)(side * side));
}

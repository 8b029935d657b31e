// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/blur-separable: five by five cells by the
// products of 1, 4, 6, 4, 1, over 256; beyond the edge it goes on as at the
// edge. Whole numbers up to 2^16, of which a 256th is exact: neither double
// nor float rounds.
#include "kernels/reference/call.h"

struct picture {
  const float *at;
  int64_t rows, columns;
};

static int64_t clamp(int64_t i, int64_t n) {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double weigh(const struct picture *p, int64_t r, int64_t c) {
  static const int weights[] = {1, 4, 6, 4, 1};
  double sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      sum += weights[dy + 2] * weights[dx + 2] *
             (double)p->at[clamp(r + dy, p->rows) * p->columns +
                           clamp(c + dx, p->columns)];
  return sum;
}

void reference_blur_separable(const struct reference_call *call) {
  struct picture p = {.rows = reference_int(call, 2),
                      .columns = reference_int(call, 3)};
  p.at = reference_f32(call, 0, p.rows * p.columns);
  float *out = reference_f32(call, 1, p.rows * p.columns);
  if (!p.at || !out)
    return;
  for (int64_t r = 0; r < p.rows; r++)
    for (int64_t c = 0; c < p.columns; c++)
      out[r * p.columns + c] = (float)(weigh(&p, r, c) / 256);
}

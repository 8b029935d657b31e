// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/max-pool: the largest cell of each square of w,
// whose corners are `step` apart. A maximum rounds nothing.
#include <math.h>

#include "kernels/reference/call.h"

struct picture {
  const float *at;
  int64_t rows, columns;
};

static float most_from(const struct picture *p, int64_t top, int64_t left,
                       int64_t w) {
  float most = -INFINITY;
  for (int64_t r = top; r < p->rows && r < top + w; r++)
    for (int64_t c = left; c < p->columns && c < left + w; c++)
      if (p->at[r * p->columns + c] > most)
        most = p->at[r * p->columns + c];
  return most;
}

void reference_max_pool(const struct reference_call *call) {
  struct picture p = {.rows = reference_int(call, 2),
                      .columns = reference_int(call, 3)};
  int64_t w = reference_int(call, 4), step = reference_int(call, 5), at = 0;
  if (step < 1) {
    reference_fail(call, "the squares are less than one step apart");
    return;
  }
  int64_t high = (p.rows + step - 1) / step,
          wide = (p.columns + step - 1) / step;
  p.at = reference_f32(call, 0, p.rows * p.columns);
  float *out = reference_f32(call, 1, high * wide);
  if (!p.at || !out)
    return;
  for (int64_t top = 0; top < p.rows; top += step)
    for (int64_t left = 0; left < p.columns; left += step)
      out[at++] = most_from(&p, top, left, w);
}

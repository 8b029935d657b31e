// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/hearsay: for each compressed row the mean of x at its
// columns, weighted by the softmax of its scores, and 0 for a row without entries.
// All in double, along the row, and rounded once: the exercise's bound is for
// floats alone.
#include <math.h>

#include "kernels/reference/call.h"

struct row {
  const int32_t *column;
  const float *score, *x;
  int64_t first, end;
};

static double weighted_mean(const struct row *r) {
  double most = -INFINITY, sum = 0, all = 0;
  for (int64_t k = r->first; k < r->end; k++)
    most = r->score[k] > most ? r->score[k] : most;
  for (int64_t k = r->first; k < r->end; k++) {
    double weight = exp(r->score[k] - most);
    sum += weight;
    all += weight * r->x[r->column[k]];
  }
  return sum > 0 ? all / sum : 0;
}

static bool has_all(const struct reference_call *call, const struct row *r) {
  for (int64_t k = r->first; k < r->end; k++)
    if (!reference_has(call, 1, k) || !reference_has(call, 2, k) ||
        !reference_has(call, 3, r->column[k]))
      return false;
  return true;
}

void reference_hearsay(const struct reference_call *call) {
  int64_t rows = reference_int(call, 5);
  const int32_t *start = reference_i32(call, 0, rows + 1);
  struct row row = {.column = reference_i32(call, 1, 0),
                    .score = reference_f32(call, 2, 0),
                    .x = reference_f32(call, 3, 0)};
  float *heard = reference_f32(call, 4, rows);
  if (!start || !heard)
    return;
  for (int64_t r = 0; r < rows; r++) {
    row.first = start[r], row.end = start[r + 1];
    if (!has_all(call, &row))
      return;
    heard[r] = (float)weighted_mean(&row);
  }
}

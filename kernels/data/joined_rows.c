// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/joined-rows: each left row with each of its right
// rows, or with -1.
#include "kernels/reference/call.h"

struct tables {
  const int32_t *key, *start, *count, *order, *at;
  int32_t *left, *right;
  int64_t rows; // of the joined table
};

static bool fill_row(const struct reference_call *call, const struct tables *t,
                     int64_t i) {
  int64_t c = t->key[i];
  if (!reference_has(call, 1, c) || !reference_has(call, 2, c))
    return false;
  int64_t rows = t->count[c] > 0 ? t->count[c] : 1;
  if (t->at[i] < 0 || t->at[i] > t->rows - rows ||
      (int64_t)t->at[i + 1] - t->at[i] != rows) {
    reference_fail(call, "a row of the left table has not its number of rows");
    return false;
  }
  for (int64_t k = 0; k < rows; k++) {
    int64_t r = t->at[i] + k;
    if (t->count[c] > 0 && !reference_has(call, 3, t->start[c] + k))
      return false;
    t->left[r] = (int32_t)i;
    t->right[r] = t->count[c] > 0 ? t->order[t->start[c] + k] : -1;
  }
  return true;
}

void reference_joined_rows(const struct reference_call *call) {
  int64_t n = reference_int(call, 7);
  struct tables t = {
      .key = reference_i32(call, 0, n),
      .start = reference_i32(call, 1, 1),
      .count = reference_i32(call, 2, 1),
      .order = reference_i32(call, 3, 1),
      .at = reference_i32(call, 4, n + 1),
  };
  if (!t.key || !t.start || !t.count || !t.order || !t.at)
    return;
  if (n < 0) {
    reference_fail(call, "there is no number of rows below 0");
    return;
  }
  t.rows = t.at[n];
  t.left = reference_i32(call, 5, t.rows);
  t.right = reference_i32(call, 6, t.rows);
  if (!t.left || !t.right)
    return;
  for (int64_t i = 0; i < n; i++)
    if (!fill_row(call, &t, i))
      return;
}

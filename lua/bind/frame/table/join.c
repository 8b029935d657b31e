// SPDX-License-Identifier: Apache-2.0
// Joins: both tables' rows are brought into the order of their keys' codes
// (counted, then placed), and each code's rows meet each other's.
#include <stdlib.h>

#include "lua/bind/frame/table/table.h"

// start[c] .. start[c + 1]: where the rows of code c lie in `at`.
static bool place_rows(const int32_t *codes, int64_t n, int32_t count,
                       int64_t **start, int32_t **at) {
  int64_t *s = *start = calloc((size_t)count + 2, sizeof **start);
  int32_t *p = *at = malloc(((size_t)n + 1) * sizeof **at);
  if (!s || !p)
    return false;
  for (int64_t i = 0; i < n; i++)
    s[codes[i] + 2]++;
  for (int32_t c = 0; c < count; c++)
    s[c + 2] += s[c + 1];
  for (int64_t i = 0; i < n; i++)
    p[s[codes[i] + 1]++] = (int32_t)i;
  return true;
}

static int64_t rows_of(const int64_t *start, int32_t code) {
  return start[code + 1] - start[code];
}

static int64_t count_pairs(const struct join *j) {
  int64_t rows = 0;
  for (int32_t c = 0; c < j->codes; c++) {
    int64_t l = rows_of(j->left_start, c), r = rows_of(j->right_start, c);
    rows += l * r;
    if (!r && j->how != JOIN_INNER)
      rows += l;
    if (!l && j->how == JOIN_OUTER)
      rows += r;
  }
  return rows;
}

enum err join_open(struct join *j, int64_t *rows) {
  if (!place_rows(j->left, j->left_n, j->codes, &j->left_start, &j->left_at) ||
      !place_rows(j->right, j->right_n, j->codes, &j->right_start,
                  &j->right_at)) {
    join_close(j);
    return ERR_NOMEM;
  }
  *rows = count_pairs(j);
  return ERR_OK;
}

void join_close(struct join *j) {
  free(j->left_start);
  free(j->right_start);
  free(j->left_at);
  free(j->right_at);
  j->left_start = j->right_start = NULL;
  j->left_at = j->right_at = NULL;
}

// The pairs of a left row with all right rows of its code; returns how many.
static int64_t fill_row(const struct join *j, int64_t row, int32_t code,
                        int64_t *left, int64_t *right) {
  int64_t from = j->right_start[code], n = rows_of(j->right_start, code);
  for (int64_t k = 0; k < n; k++) {
    left[k] = row;
    right[k] = j->right_at[from + k];
  }
  if (n || j->how == JOIN_INNER)
    return n;
  *left = row;
  *right = -1;
  return 1;
}

static void fill_by_key(const struct join *j, int64_t *left, int64_t *right) {
  int64_t at = 0;
  for (int32_t k = 0; k < j->codes; k++) {
    int32_t c = j->order[k];
    for (int64_t i = j->left_start[c]; i < j->left_start[c + 1]; i++)
      at += fill_row(j, j->left_at[i], c, left + at, right + at);
    if (rows_of(j->left_start, c))
      continue;
    for (int64_t i = j->right_start[c]; i < j->right_start[c + 1]; i++) {
      left[at] = -1;
      right[at++] = j->right_at[i];
    }
  }
}

void join_fill(const struct join *j, int64_t *left, int64_t *right) {
  if (j->how == JOIN_OUTER) {
    fill_by_key(j, left, right);
    return;
  }
  int64_t at = 0;
  for (int64_t i = 0; i < j->left_n; i++)
    at += fill_row(j, i, j->left[i], left + at, right + at);
}

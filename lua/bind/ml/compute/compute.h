// SPDX-License-Identifier: Apache-2.0
// What ml computes of rows of f64 on the host: loops over each pair of a row and
// a center, or of two rows, by several threads. Results do not depend on how many
// there are: sums are added block by block, and blocks by the rows' number alone.
#ifndef LUA_BIND_ML_COMPUTE_COMPUTE_H
#define LUA_BIND_ML_COMPUTE_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

// `count` rows of `width` numbers, one behind the other. The caller's.
struct rows {
  const double *at;
  int64_t count, width;
};

// Asked now and then by any thread: does nobody wait any more? Then the functions
// give `cancelled`.
typedef bool (*compute_cancelled)(void);

// A round of k-means. Each row's label becomes the center that is nearest to it, of
// equals the first; `sums` (NULL: not wanted) gets the sum of each center's rows and
// `counts` their number.
struct kmeans_round {
  struct rows x, centers;
  int32_t *labels;
  double *sums, *counts;
  double inertia;  // out: the sum of all rows' squared distances
  int64_t changed; // out: how many labels are others than before
};
enum err kmeans_round(struct kmeans_round *r, compute_cancelled is_cancelled,
                      struct err_info *e);

// out[i] becomes the lesser of nearest[i] (which may be `out`) and row i's squared
// distance to `center`.
struct kmeans_closer {
  struct rows x;
  const double *center, *nearest;
  double *out;
  double total; // out: the sum of `out`
};
enum err kmeans_closer(struct kmeans_closer *c, compute_cancelled is_cancelled,
                       struct err_info *e);

// out[i * y.count + j]: the distance of row i of x to row j of y.
enum err row_distances(struct rows x, struct rows y, double *out,
                       compute_cancelled is_cancelled, struct err_info *e);

// The `k` rows of x nearest to each row of q, nearest first and of equals the
// first: distances and places, k of each for each row. skips_own: row i of x is none
// of q's row i. There are k at least.
struct row_neighbors {
  struct rows x, q;
  int64_t k;
  bool skips_own;
  double *distances;
  int64_t *places;
};
enum err row_neighbors(const struct row_neighbors *n,
                       compute_cancelled is_cancelled, struct err_info *e);

// out[i * k + c]: the sum of row i's distances to the rows whose label is c.
struct label_distances {
  struct rows x;
  const int32_t *labels; // each below k
  int64_t k;
  double *out;
};
enum err label_distances(const struct label_distances *d,
                         compute_cancelled is_cancelled, struct err_info *e);

#endif

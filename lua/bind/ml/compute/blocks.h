// SPDX-License-Identifier: Apache-2.0
// What the files of this room share: rows in blocks, and columns in lanes.
#ifndef LUA_BIND_ML_COMPUTE_BLOCKS_H
#define LUA_BIND_ML_COMPUTE_BLOCKS_H

#include "lua/bind/ml/compute/compute.h"

enum { LANES = 8 };

// Work on `count` rows in `blocks` pieces, each of which one thread does.
struct blocks {
  int64_t count, blocks;
  void (*work)(void *context, int64_t block, int64_t from, int64_t end);
  void *context;
  compute_cancelled is_cancelled;
};

// Runs it; gives `cancelled` where nobody waits.
enum err blocks_run(const struct blocks *b, struct err_info *e);
// Enough blocks to keep threads busy, each with `least` rows or more.
int64_t blocks_for(int64_t count, int64_t least);

// Rows for LANES at a time: of each group of LANES rows, feature by feature, one
// behind the other; where they end, numbers that are far from all. Freed with
// free; NULL: there is no memory.
double *lanes_of(struct rows y);

// out[0] to out[LANES - 1]: the squared distances of `row` to a group of lanes_of.
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
static inline void lane_distances(const double *row, const double *group,
                                  int64_t width, double *out) {
  lanes sum = {0};
  for (int64_t j = 0; j < width; j++) {
    lanes y;
    __builtin_memcpy(&y, group + j * LANES, sizeof y);
    y = row[j] - y;
    sum += y * y;
  }
  __builtin_memcpy(out, &sum, sizeof sum);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Theory of operation. A round looks at each row once: its distances to LANES
// centers at a time (S. P. Lloyd, Least squares quantization in PCM, 1982), then
// its features go to the sums of the nearest one. Distances are sums of squared
// differences, not |x|^2 - 2xc + |c|^2, which loses digits far from zero.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/ml/compute/blocks.h"

enum { LEAST_ROWS = 1 << 12, MOST_SUMS = 1 << 21 };

// What a block adds up: sums, counts, then inertia and labels that changed.
struct round_of_blocks {
  struct kmeans_round *r;
  double *lanes, *found;
  int64_t found_width, groups;
};

static int32_t nearest_of(const struct round_of_blocks *w, const double *row,
                          double *distance) {
  const int64_t width = w->r->x.width;
  double least = INFINITY;
  int64_t at = 0;
  for (int64_t g = 0; g < w->groups; g++) {
    double d[LANES];
    lane_distances(row, w->lanes + g * width * LANES, width, d);
    for (int i = 0; i < LANES; i++)
      if (d[i] < least) {
        least = d[i];
        at = g * LANES + i;
      }
  }
  *distance = least;
  return (int32_t)at;
}

static void add_row(double *sum, const double *row, int64_t width) {
  for (int64_t j = 0; j < width; j++)
    sum[j] += row[j];
}

static void round_block(void *context, int64_t block, int64_t from,
                        int64_t end) {
  const struct round_of_blocks *w = context;
  const struct kmeans_round *r = w->r;
  const int64_t width = r->x.width, k = r->centers.count;
  double *sums = w->found + block * w->found_width, *counts = sums + k * width;
  double inertia = 0, distance;
  int64_t changed = 0;
  for (int64_t i = from; i < end; i++) {
    const double *row = r->x.at + i * width;
    int32_t label = nearest_of(w, row, &distance);
    changed += label != r->labels[i];
    r->labels[i] = label;
    inertia += distance;
    counts[label]++;
    if (r->sums)
      add_row(sums + label * width, row, width);
  }
  counts[k] = inertia;
  counts[k + 1] = (double)changed;
}

// Blocks in their order.
static void add_blocks(const struct round_of_blocks *w, int64_t blocks) {
  struct kmeans_round *r = w->r;
  const int64_t k = r->centers.count, size = k * r->x.width;
  if (r->sums)
    memset(r->sums, 0, (size_t)size * sizeof *r->sums);
  memset(r->counts, 0, (size_t)k * sizeof *r->counts);
  r->inertia = 0;
  r->changed = 0;
  for (int64_t b = 0; b < blocks; b++) {
    const double *found = w->found + b * w->found_width;
    if (r->sums)
      add_row(r->sums, found, size);
    add_row(r->counts, found + size, k);
    r->inertia += found[size + k];
    r->changed += (int64_t)found[size + k + 1];
  }
}

enum err kmeans_round(struct kmeans_round *r, compute_cancelled is_cancelled,
                      struct err_info *e) {
  const int64_t k = r->centers.count;
  struct round_of_blocks w = {.r = r,
                              .lanes = lanes_of(r->centers),
                              .found_width = k * r->x.width + k + 2,
                              .groups = (k + LANES - 1) / LANES};
  int64_t blocks = blocks_for(r->x.count, LEAST_ROWS);
  while (blocks > 1 && blocks * w.found_width > MOST_SUMS)
    blocks /= 2;
  w.found = calloc((size_t)(blocks * w.found_width), sizeof *w.found);
  enum err err = ERR_OK;
  if (!w.lanes || !w.found)
    err = err_set(e, ERR_NOMEM, "there is no memory for %lld centers",
                  (long long)k);
  else
    err = blocks_run(&(struct blocks){.count = r->x.count,
                                      .blocks = blocks,
                                      .work = round_block,
                                      .context = &w,
                                      .is_cancelled = is_cancelled},
                     e);
  if (!err)
    add_blocks(&w, blocks);
  free(w.lanes);
  free(w.found);
  return err;
}

// ---- The first centers ----

struct closer {
  const struct kmeans_closer *c;
  double *totals; // of each block
};

static void closer_block(void *context, int64_t block, int64_t from,
                         int64_t end) {
  const struct closer *w = context;
  const struct kmeans_closer *c = w->c;
  const int64_t width = c->x.width;
  double total = 0;
  for (int64_t i = from; i < end; i++) {
    const double *row = c->x.at + i * width;
    double d = 0;
    for (int64_t j = 0; j < width; j++)
      d += (row[j] - c->center[j]) * (row[j] - c->center[j]);
    c->out[i] = d < c->nearest[i] ? d : c->nearest[i];
    total += c->out[i];
  }
  w->totals[block] = total;
}

enum err kmeans_closer(struct kmeans_closer *c, compute_cancelled is_cancelled,
                       struct err_info *e) {
  int64_t blocks = blocks_for(c->x.count, LEAST_ROWS);
  struct closer w = {c, calloc((size_t)blocks, sizeof *w.totals)};
  if (!w.totals)
    return err_set(e, ERR_NOMEM, "there is no memory");
  enum err err = blocks_run(&(struct blocks){.count = c->x.count,
                                             .blocks = blocks,
                                             .work = closer_block,
                                             .context = &w,
                                             .is_cancelled = is_cancelled},
                            e);
  c->total = 0;
  for (int64_t b = 0; b < blocks; b++)
    c->total += w.totals[b];
  free(w.totals);
  return err;
}

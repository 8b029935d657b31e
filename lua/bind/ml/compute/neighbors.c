// SPDX-License-Identifier: Apache-2.0
// Distances between rows: all of them, the least of them, their sums by label. Each
// row of one side meets LANES rows of the other at a time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/ml/compute/blocks.h"

enum { LEAST_PAIRS = 1 << 16 };

// What all three look at: each row of `q` beside all of `x`, which lies in lanes.
struct pairs {
  struct rows x, q;
  double *lanes;
  void (*row)(const struct pairs *p, int64_t i);
  compute_cancelled is_cancelled;
  double *out;
  // Of neighbors.
  int64_t *places, k;
  bool skips_own;
  const int32_t *labels; // of label_distances
};

static void pairs_block(void *context, int64_t block, int64_t from,
                        int64_t end) {
  const struct pairs *p = context;
  (void)block;
  for (int64_t i = from; i < end; i++)
    if (!(p->is_cancelled && p->is_cancelled()))
      p->row(p, i);
}

static enum err run_pairs(struct pairs *p, struct err_info *e) {
  p->lanes = lanes_of(p->x);
  if (!p->lanes)
    return err_set(e, ERR_NOMEM, "there is no memory for a copy of %lld rows",
                   (long long)p->x.count);
  int64_t each = p->x.count * p->x.width + 1;
  int64_t least = LEAST_PAIRS / each + 1;
  enum err err =
      blocks_run(&(struct blocks){.count = p->q.count,
                                  .blocks = blocks_for(p->q.count, least),
                                  .work = pairs_block,
                                  .context = p,
                                  .is_cancelled = p->is_cancelled},
                 e);
  free(p->lanes);
  return err;
}

// Runs `body` for each row of x: `at + lane` is its place, d[lane] its squared
// distance to row i of q.
#define EACH_ROW(p, i, body)                                                   \
  for (int64_t at = 0; at < (p)->x.count; at += LANES) {                       \
    double d[LANES];                                                           \
    lane_distances((p)->q.at + (i) * (p)->q.width,                             \
                   (p)->lanes + at * (p)->x.width, (p)->x.width, d);           \
    int64_t left = (p)->x.count - at;                                          \
    for (int lane = 0; lane < (left < LANES ? (int)left : LANES); lane++)      \
      body;                                                                    \
  }

// ---- All ----

static void distances_row(const struct pairs *p, int64_t i) {
  double *out = p->out + i * p->x.count;
  EACH_ROW(p, i, out[at + lane] = sqrt(d[lane]))
}

enum err row_distances(struct rows x, struct rows y, double *out,
                       compute_cancelled is_cancelled, struct err_info *e) {
  struct pairs p = {.x = y,
                    .q = x,
                    .row = distances_row,
                    .out = out,
                    .is_cancelled = is_cancelled};
  return run_pairs(&p, e);
}

// ---- The nearest ----

// Puts it among the `had` that are known, which are in order; the last falls out
// where there are k.
static int64_t take_in(const struct pairs *p, double *distances,
                       int64_t *places, int64_t had, double d, int64_t place) {
  int64_t at = had < p->k ? had : p->k - 1;
  for (; at > 0 && distances[at - 1] > d; at--) {
    distances[at] = distances[at - 1];
    places[at] = places[at - 1];
  }
  distances[at] = d;
  places[at] = place;
  return had < p->k ? had + 1 : had;
}

static void neighbors_row(const struct pairs *p, int64_t i) {
  double *distances = p->out + i * p->k;
  int64_t *places = p->places + i * p->k, had = 0;
  EACH_ROW(p, i, {
    bool is_own = p->skips_own && at + lane == i;
    if (!is_own && (had < p->k || d[lane] < distances[p->k - 1]))
      had = take_in(p, distances, places, had, d[lane], at + lane);
  })
  for (int64_t n = 0; n < had; n++)
    distances[n] = sqrt(distances[n]);
}

enum err row_neighbors(const struct row_neighbors *n,
                       compute_cancelled is_cancelled, struct err_info *e) {
  struct pairs p = {.x = n->x,
                    .q = n->q,
                    .row = neighbors_row,
                    .is_cancelled = is_cancelled,
                    .out = n->distances,
                    .places = n->places,
                    .k = n->k,
                    .skips_own = n->skips_own};
  return run_pairs(&p, e);
}

// ---- By label ----

static void labels_row(const struct pairs *p, int64_t i) {
  double *sums = p->out + i * p->k;
  memset(sums, 0, (size_t)p->k * sizeof *sums);
  EACH_ROW(p, i, sums[p->labels[at + lane]] += sqrt(d[lane]))
}

enum err label_distances(const struct label_distances *d,
                         compute_cancelled is_cancelled, struct err_info *e) {
  struct pairs p = {.x = d->x,
                    .q = d->x,
                    .row = labels_row,
                    .is_cancelled = is_cancelled,
                    .out = d->out,
                    .k = d->k,
                    .labels = d->labels};
  return run_pairs(&p, e);
}

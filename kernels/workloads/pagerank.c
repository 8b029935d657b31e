// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/pagerank: twenty rounds in which each page
// hands its rank on in equal shares; that of pages without links goes to
// all. All in double, link by link, and rounded once at the end: the
// exercise's bound is for floats alone.
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/reference/call.h"

struct web {
  const int32_t *start, *from, *links;
  double *rank, *share; // n of each
  int64_t n;
};

static void one_round(struct web *w) {
  double lost = 0;
  for (int64_t v = 0; v < w->n; v++) {
    w->share[v] = w->links[v] > 0 ? w->rank[v] / w->links[v] : 0;
    lost += w->links[v] == 0 ? w->rank[v] : 0;
  }
  for (int64_t v = 0; v < w->n; v++) {
    double sum = lost / (double)w->n;
    for (int64_t k = w->start[v]; k < w->start[v + 1]; k++)
      sum += w->share[w->from[k]];
    w->rank[v] = 0.15 + 0.85 * sum;
  }
}

static void rank_all(struct web *w, float *rank) {
  for (int64_t v = 0; v < w->n; v++)
    w->rank[v] = 1;
  for (int round = 0; round < 20; round++)
    one_round(w);
  for (int64_t v = 0; v < w->n; v++)
    rank[v] = (float)w->rank[v];
}

// Is every link of a page?
static bool is_whole(const struct reference_call *call, const struct web *w) {
  for (int64_t v = 0; v < w->n; v++)
    for (int64_t k = w->start[v]; k < w->start[v + 1]; k++) {
      if (!reference_has(call, 1, k))
        return false;
      if (w->from[k] < 0 || w->from[k] >= w->n) {
        reference_fail(call, "a link comes from no page");
        return false;
      }
    }
  return true;
}

void reference_pagerank(const struct reference_call *call) {
  int64_t n = reference_int(call, 6);
  struct web w = {reference_i32(call, 0, n + 1),
                  reference_i32(call, 1, 0),
                  reference_i32(call, 2, n),
                  NULL,
                  NULL,
                  n};
  float *rank = reference_f32(call, 3, n);
  if (!w.start || !w.links || !rank || n < 1 || !is_whole(call, &w))
    return;
  w.rank = try_malloc((size_t)n * sizeof *w.rank);
  w.share = try_malloc((size_t)n * sizeof *w.share);
  if (w.rank && w.share)
    rank_all(&w, rank);
  else
    reference_fail(call, "there is no memory for the ranks");
  free(w.rank);
  free(w.share);
}

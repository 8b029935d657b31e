// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/attention: of each query the mean of all
// values, weighed by the exponentials of its products with the keys. All in
// double, key by key, and rounded once: the exercise's bound is for floats
// alone.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/reference/call.h"

struct heads {
  const float *k, *v;
  int64_t n, d;
  double *score; // n of them
};

// Fills the scores of a query; their sum.
static double score(const struct heads *h, const float *q) {
  double most = -INFINITY, sum = 0;
  for (int64_t j = 0; j < h->n; j++) {
    double dot = 0;
    for (int64_t c = 0; c < h->d; c++)
      dot += (double)q[c] * h->k[j * h->d + c];
    h->score[j] = dot / sqrt((double)h->d);
    most = h->score[j] > most ? h->score[j] : most;
  }
  for (int64_t j = 0; j < h->n; j++) {
    h->score[j] = exp(h->score[j] - most);
    sum += h->score[j];
  }
  return sum;
}

static void attend(const struct heads *h, const float *q, float *out) {
  double sum = score(h, q);
  for (int64_t c = 0; c < h->d; c++) {
    double total = 0;
    for (int64_t j = 0; j < h->n; j++)
      total += h->score[j] * h->v[j * h->d + c];
    out[c] = (float)(total / sum);
  }
}

void reference_attention(const struct reference_call *call) {
  struct heads h = {.n = reference_int(call, 4), .d = reference_int(call, 5)};
  int64_t all = reference_count(call, 3);
  const float *q = reference_f32(call, 0, all);
  float *out = reference_f32(call, 3, all);
  h.k = reference_f32(call, 1, h.n * h.d);
  h.v = reference_f32(call, 2, h.n * h.d);
  if (h.n < 1 || h.d < 1 || all % h.d)
    reference_fail(call, "out is not made of rows of d, or there is no key");
  if (!q || !h.k || !h.v || h.n < 1 || h.d < 1 || all % h.d)
    return;
  h.score = try_malloc((size_t)h.n * sizeof *h.score);
  if (!h.score)
    reference_fail(call, "there is no memory for the scores");
  for (int64_t i = 0; h.score && i < all; i += h.d)
    attend(&h, q + i, out + i);
  free(h.score);
}

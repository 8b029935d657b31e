// SPDX-License-Identifier: Apache-2.0
// The median of ratios and its bootstrap interval.
#include "grade/rank/rank_stat.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"

enum { RESAMPLES = 1000, LOW = RESAMPLES / 40, HIGH = RESAMPLES - 1 - LOW };

// Of the sorted values' numbers, how often each was drawn.
struct draws {
  uint32_t *random;
  int *times;
};

static void draw(const struct seed *seed, uint64_t stream, int count,
                 struct draws *d) {
  seed_fill(seed, stream, d->random, (size_t)count * sizeof *d->random);
  memset(d->times, 0, (size_t)count * sizeof *d->times);
  for (int i = 0; i < count; i++)
    d->times[(uint64_t)d->random[i] * (uint32_t)count >> 32]++;
}

// The value that `behind` of those that were drawn come before.
static double drawn(const double *sorted, const struct draws *d, int behind) {
  int i = 0;
  for (int seen = d->times[0]; seen <= behind; seen += d->times[i])
    i++;
  return sorted[i];
}

static void find_interval(const double *sorted, int count,
                          const struct seed *seed, struct rank_stat *out) {
  double medians[RESAMPLES];
  struct draws d = {xmalloc((size_t)count * sizeof *d.random),
                    xmalloc((size_t)count * sizeof *d.times)};
  for (uint64_t i = 0; i < RESAMPLES; i++) {
    draw(seed, i, count, &d);
    medians[i] =
        (drawn(sorted, &d, (count - 1) / 2) + drawn(sorted, &d, count / 2)) / 2;
  }
  median_sort(medians, RESAMPLES);
  out->low = medians[LOW];
  out->high = medians[HIGH];
  free(d.random);
  free(d.times);
}

void rank_stat(const struct rank_pair *pairs, int count,
               const struct seed *seed, struct rank_stat *out) {
  size_t n = (size_t)count, bytes = n * sizeof(double);
  double *ratios = xmalloc(bytes), *own = xmalloc(bytes),
         *other = xmalloc(bytes);
  for (int i = 0; i < count; i++) {
    own[i] = pairs[i].own_us;
    other[i] = pairs[i].reference_us;
    ratios[i] = other[i] / own[i];
  }
  out->ratio = median_of(ratios, n); // and they are sorted
  find_interval(ratios, count, seed, out);
  out->own_us = median_of(own, n);
  out->reference_us = median_of(other, n);
  free(ratios);
  free(own);
  free(other);
}

double rank_stat_error(const struct rank_stat *s) {
  return (s->high - s->low) / 2 / s->ratio;
}

// SPDX-License-Identifier: Apache-2.0
// The median of ratios and its bootstrap interval.
#include "grade/rank/rank_stat.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

enum { RESAMPLES = 1000, LOW = RESAMPLES / 40, HIGH = RESAMPLES - 1 - LOW };

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v, int count) {
  qsort(v, (size_t)count, sizeof *v, by_value);
  return count % 2 ? v[count / 2] : (v[count / 2 - 1] + v[count / 2]) / 2;
}

static double median_of_draws(const double *ratios, int count,
                              const uint32_t *draws, double *room) {
  for (int i = 0; i < count; i++)
    room[i] = ratios[(uint64_t)draws[i] * (uint32_t)count >> 32];
  return median(room, count);
}

static void find_interval(const double *ratios, int count,
                          const struct seed *seed, struct rank_stat *out) {
  size_t bytes = (size_t)count * sizeof(uint32_t);
  uint32_t *draws = xmalloc(bytes);
  double *room = xmalloc((size_t)count * sizeof *room);
  double medians[RESAMPLES];
  for (uint64_t i = 0; i < RESAMPLES; i++) {
    seed_fill(seed, i, draws, bytes);
    medians[i] = median_of_draws(ratios, count, draws, room);
  }
  qsort(medians, RESAMPLES, sizeof *medians, by_value);
  out->low = medians[LOW];
  out->high = medians[HIGH];
  free(room);
  free(draws);
}

void rank_stat(const struct rank_pair *pairs, int count,
               const struct seed *seed, struct rank_stat *out) {
  size_t bytes = (size_t)count * sizeof(double);
  double *ratios = xmalloc(bytes), *own = xmalloc(bytes),
         *other = xmalloc(bytes);
  for (int i = 0; i < count; i++) {
    own[i] = pairs[i].own_us;
    other[i] = pairs[i].reference_us;
    ratios[i] = other[i] / own[i];
  }
  find_interval(ratios, count, seed, out);
  out->ratio = median(ratios, count);
  out->own_us = median(own, count);
  out->reference_us = median(other, count);
  free(ratios);
  free(own);
  free(other);
}

double rank_stat_error(const struct rank_stat *s) {
  return (s->high - s->low) / 2 / s->ratio;
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/ten-times: of each station's hours the mean,
// the variance, the maximum, the sum of degrees above 5, the number below 0
// and how many lie within each 5 degrees from -40 on. All in double, hour by
// hour, and rounded once: the exercise's bound is for floats alone.
#include <math.h>

#include "kernels/reference/call.h"

enum { BINS = 16 };

struct summary {
  double mean, variance, most, warmth;
  int32_t frost;
};

static struct summary summarise(const float *t, int64_t hours) {
  struct summary s = {.most = -INFINITY};
  double n = (double)hours;
  for (int64_t i = 0; i < hours; i++) {
    s.mean += t[i] / n;
    s.most = t[i] > s.most ? t[i] : s.most;
    s.warmth += t[i] > 5 ? t[i] - 5.0 : 0;
    s.frost += t[i] < 0;
  }
  for (int64_t i = 0; i < hours; i++)
    s.variance += (t[i] - s.mean) * (t[i] - s.mean);
  s.variance /= n;
  return s;
}

static void count(const float *t, int64_t hours, int32_t *bins) {
  for (int k = 0; k < BINS; k++)
    bins[k] = 0;
  for (int64_t i = 0; i < hours; i++) {
    double bin = floor((t[i] + 40.0) / 5);
    if (bin >= 0 && bin < BINS)
      bins[(int)bin]++;
  }
}

void reference_ten_times(const struct reference_call *call) {
  int64_t n = reference_count(call, 1), hours = reference_int(call, 7);
  const float *t = reference_f32(call, 0, n * hours);
  float *mean = reference_f32(call, 1, n),
        *variance = reference_f32(call, 2, n);
  float *most = reference_f32(call, 3, n), *warmth = reference_f32(call, 4, n);
  int32_t *frost = reference_i32(call, 5, n);
  int32_t *bins = reference_i32(call, 6, n * BINS);
  if (!t || !variance || !most || !warmth || !frost || !bins)
    return;
  for (int64_t s = 0; s < n; s++) {
    struct summary of = summarise(t + s * hours, hours);
    mean[s] = (float)of.mean;
    variance[s] = (float)of.variance;
    most[s] = (float)of.most;
    warmth[s] = (float)of.warmth;
    frost[s] = of.frost;
    count(t + s * hours, hours, bins + s * BINS);
  }
}

// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/lombscargle and exercises/ladder: the power of
// each frequency in samples at any times: the normalised periodogram of Lomb
// and Scargle. All in double, sample by sample, and rounded once: the
// exercises' bounds are for floats alone.
#include <math.h>

#include "kernels/reference/call.h"

// The sums over all samples of one frequency.
struct sums {
  double yc, ys, cc, ss, cs;
};

static double power_of(const struct sums *s) {
  double phase = 0.5 * atan2(2 * s->cs, s->cc - s->ss);
  double c = cos(phase), d = sin(phase), cross = 2 * c * d * s->cs;
  double along = c * s->yc + d * s->ys, across = c * s->ys - d * s->yc;
  return along * along / (c * c * s->cc + cross + d * d * s->ss) +
         across * across / (c * c * s->ss - cross + d * d * s->cc);
}

void reference_lombscargle(const struct reference_call *call) {
  int64_t n = reference_int(call, 4), m = reference_int(call, 5);
  const float *x = reference_f32(call, 0, n), *y = reference_f32(call, 1, n);
  const float *freqs = reference_f32(call, 2, m);
  float *power = reference_f32(call, 3, m), yy = reference_float(call, 6);
  if (!x || !y || !freqs || !power)
    return;
  for (int64_t i = 0; i < m; i++) {
    struct sums s = {0};
    for (int64_t j = 0; j < n; j++) {
      double angle = (double)freqs[i] * x[j];
      double c = cos(angle), d = sin(angle);
      s.yc += y[j] * c;
      s.ys += y[j] * d;
      s.cc += c * c;
      s.ss += d * d;
      s.cs += c * d;
    }
    power[i] = (float)(power_of(&s) / yy);
  }
}

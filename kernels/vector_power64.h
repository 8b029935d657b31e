// SPDX-License-Identifier: Apache-2.0
// pow and hypot for f64, as vector_math64.h has exp and log.
#ifndef KERNELS_VECTOR_POWER64_H
#define KERNELS_VECTOR_POWER64_H

#include "kernels/vector_math64.h"

// ---- pow ----

VECTOR_INLINE bool vector_pow_is_special(double x, double y) {
  return !(x > 0 && x < (double)INFINITY) || !(fabs(y) < (double)INFINITY);
}

VECTOR_INLINE bool vector_pow_is_specialf(float x, float y) {
  return !(x > 0 && x < (float)INFINITY) || !(fabsf(y) < (float)INFINITY);
}

// log2(x) in two parts: 3 atanh(s) = s (3 + s^2 + 3/5 s^4 ...), of which all but
// the small tail is summed up exactly.
VECTOR_INLINE struct vector_two vector_log2_two(double x) {
  double n, m = vector_split(x, &n), f = m - 1;
  struct vector_two t = vector_sum(m > 1 ? m : 1, m > 1 ? 1 : m);
  double by_t = 1 / t.high, s = f * by_t;
  double s_low = fma(-s, t.low, fma(-s, t.high, f)) * by_t;
  struct vector_two z = vector_product(s, s);
  z.low = fma(2 * s, s_low, z.low);
  double q = 0x1.6822d3ff5dac6p-3;
  q = fma(q, z.high, 0x1.679d96ac7bbebp-3);
  q = fma(q, z.high, 0x1.99a52bd708da3p-3);
  q = fma(q, z.high, 0x1.d89d60bb25922p-3);
  q = fma(q, z.high, 0x1.1745d19bf0840p-2);
  q = fma(q, z.high, 0x1.555555552ff8cp-2);
  q = fma(q, z.high, 0x1.b6db6db6db7b2p-2);
  q = fma(q, z.high, 0x1.3333333333333p-1);
  struct vector_two sum = vector_sum(3, z.high);
  sum = vector_sum(sum.high, sum.low + fma(z.high * z.high, q, z.low));
  struct vector_two r = vector_product(s, sum.high);
  r.low = fma(s, sum.low, fma(s_low, sum.high, r.low));
  const double by = 0x1.ec709dc3a03fdp-1, by_low = 0x1.d27f05548af0cp-55;
  struct vector_two l = vector_product(r.high, by);
  l.low = fma(r.high, by_low, fma(r.low, by, l.low));
  struct vector_two total =
      vector_sum(n == 0 ? l.high : n, n == 0 ? 0 : l.high);
  return vector_sum(total.high, total.low + l.low);
}

// 2^(y log2(x)) for finite x and y, x positive. Results of an exponent beyond the
// clamps are infinite or 0, whatever else it is.
VECTOR_INLINE double vector_pow(double x, double y) {
  struct vector_two l = vector_log2_two(x), e = vector_product(l.high, y);
  e.low = fma(l.low, y, e.low);
  double high = 1100 < e.high ? 1100 : e.high;
  high = -1100 > high ? -1100 : high;
  double low = high == e.high ? e.low : 0;
  double shifted = high + VECTOR_SHIFT;
  high -= shifted - VECTOR_SHIFT;
  // times log(2), to more digits than a double has
  const double by = 0x1.62e42fefa39efp-1, by_low = 0x1.abc9e3b39803fp-56;
  struct vector_two t = vector_product(high, by);
  t = vector_sum(t.high, t.low + fma(high, by_low, low * by));
  return vector_scale(vector_exp_part(t.high, t.low).high, shifted);
}

// In double for f32: log2(m) = s P(s^2), 2^r.
VECTOR_INLINE float vector_powf(float x, float y) {
  double n, m = vector_split_by(x, VECTOR_SHIFT + 1023, &n);
  double s = (m - 1) / (m + 1), z = s * s;
  double p = 0x1.21ad2d776d25ap-2;
  p = fma(p, z, 0x1.47959c992a71fp-2);
  p = fma(p, z, 0x1.a61a2cf9f9e38p-2);
  p = fma(p, z, 0x1.2776c295ae0c7p-1);
  p = fma(p, z, 0x1.ec709dc53a1cap-1);
  p = fma(p, z, 0x1.71547652b8252p+1);
  double e = fma(s, p, n) * y;
  e = 300 < e ? 300 : e;
  e = -300 > e ? -300 : e;
  double shifted = e + VECTOR_SHIFT, r = e - (shifted - VECTOR_SHIFT);
  double q = 0x1.00a594fd058bap-16;
  q = fma(q, r, 0x1.44401fae30efep-13);
  q = fma(q, r, 0x1.5d879e9962406p-10);
  q = fma(q, r, 0x1.3b2a1b516ca7fp-7);
  q = fma(q, r, 0x1.c6b08d884527ep-5);
  q = fma(q, r, 0x1.ebfbe0460cc0bp-3);
  q = fma(q, r, 0x1.62e42fefa39efp-1);
  uint64_t k = vector_bits64(shifted) - vector_bits64(VECTOR_SHIFT);
  return (float)(fma(q, r, 1) * vector_of_bits64((k + 1023) << 52));
}

// ---- hypot ----

// The root of x^2 + y^2, scaled where the squares would leave the range.
VECTOR_INLINE double vector_hypot(double x, double y) {
  double a = fabs(x), b = fabs(y), most = a < b ? b : a;
  double down = most > 0x1p500 ? 0x1p-600 : most < 0x1p-500 ? 0x1p600 : 1;
  double up = most > 0x1p500 ? 0x1p600 : most < 0x1p-500 ? 0x1p-600 : 1;
  double p = a * down, q = b * down, square = q * q;
  double r = sqrt(fma(p, p, square)) * up;
  r = a == (double)INFINITY ? a : r;
  return b == (double)INFINITY ? b : r;
}

// In double for f32, whose squares it holds.
VECTOR_INLINE float vector_hypotf(float x, float y) {
  double a = x, b = y;
  float r = (float)sqrt(fma(a, a, b * b));
  r = fabsf(x) == (float)INFINITY ? (float)INFINITY : r;
  return fabsf(y) == (float)INFINITY ? (float)INFINITY : r;
}

#endif

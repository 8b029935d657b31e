// SPDX-License-Identifier: Apache-2.0
// ex2, lg2, sin and cos for loops over lanes: without branches, in double, so
// that the result rounded to a float is the nearest but for one in millions. No
// step may be contracted or reordered: every instruction set gives these bits.
#ifndef GPU_VGPU_OPS_APPROX_H
#define GPU_VGPU_OPS_APPROX_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// Added to a small number, it leaves the nearest integer in the low bits.
static const double APPROX_ROUND = 0x1.8p52;

static inline uint64_t approx_bits(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static inline double approx_double(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

// 2^n times the Taylor series of 2^f, |f| <= 1/2; NaN stays NaN.
static inline double approx_exp2(double x) {
  x = x > 200 ? 200 : x < -200 ? -200 : x; // zero and infinity as a float
  double t = x + APPROX_ROUND;
  double f = (x - (t - APPROX_ROUND)) * 0.69314718055994530942;
  double p = 1.0 / 6227020800;
  p = p * f + 1.0 / 479001600;
  p = p * f + 1.0 / 39916800;
  p = p * f + 1.0 / 3628800;
  p = p * f + 1.0 / 362880;
  p = p * f + 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1;
  p = p * f + 1;
  return p * approx_double((approx_bits(t) + 1023) << 52);
}

// e + log2(m), sqrt(1/2) <= m < sqrt(2), by the series of artanh.
static inline double approx_log2(double x) {
  const uint64_t root = UINT64_C(0x3FE6A09E667F3BCD); // sqrt(1/2)
  uint64_t k = approx_bits(x) + (UINT64_C(0x3FF0000000000000) - root);
  double e =
      approx_double(k >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
  double m = approx_double((k & UINT64_C(0x000FFFFFFFFFFFFF)) + root);
  double s = (m - 1) / (m + 1), z = s * s;
  double p = 1.0 / 21;
  p = p * z + 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1;
  double r = e + s * p * 2.8853900817779268147; // 2 / ln 2
  r = x < HUGE_VAL ? r : x;
  r = x > 0 ? r : x == 0 ? -HUGE_VAL : (double)NAN;
  return x == x ? r : x;
}

// sin(x + turns * pi/2) for |x| < APPROX_WAVE; beyond, something finite or NaN.
#define APPROX_WAVE 0x1p20f
static inline double approx_wave(double x, uint64_t turns) {
  double t = x * 0.63661977236758134308 + APPROX_ROUND; // 2 / pi
  double n = t - APPROX_ROUND;
  // pi/2 in three parts; n times either of the first two is exact.
  double r = x - n * 0x1.921fb544p+0;
  r = r - n * 0x1.0b4611a6p-34;
  r = r - n * 0x1.3198a2e037073p-69;
  double z = r * r;
  double s = -1.0 / 1307674368000;
  s = s * z + 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = (s * z + 1) * r;
  double c = 1.0 / 20922789888000;
  c = c * z - 1.0 / 87178291200;
  c = c * z + 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * z - 0.5;
  c = c * z + 1;
  uint64_t quarter = approx_bits(t) + turns;
  double v = quarter & 1 ? c : s;
  return approx_double(approx_bits(v) ^ (quarter & 2) << 62);
}

#endif

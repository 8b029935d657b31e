// SPDX-License-Identifier: Apache-2.0
// sin and cos for f64, as vector_math64.h has exp and log.
#ifndef KERNELS_VECTOR_ANGLE64_H
#define KERNELS_VECTOR_ANGLE64_H

#include "kernels/vector_math64.h"

#define VECTOR_TRIG_LIMIT 0x1p20
#define VECTOR_HALF_PI    0x1.921fb54400000p+0 // its first 33 bits

VECTOR_INLINE bool vector_is_far(double x) {
  return !(fabs(x) < VECTOR_TRIG_LIMIT);
}
VECTOR_INLINE bool vector_is_farf(float x) {
  return !(fabsf(x) < (float)VECTOR_TRIG_LIMIT);
}

// For |r| <= pi/4, r = high + low.
VECTOR_INLINE double vector_sin_part(double high, double low) {
  double z = high * high;
  double p = 0x1.5e0af186af739p-33;
  p = p * z - 0x1.ae600a926c89ap-26;
  p = p * z + 0x1.71de37961e4c6p-19;
  p = p * z - 0x1.a01a019e8357dp-13;
  p = p * z + 0x1.1111111110bb1p-7;
  p = p * z - 0x1.5555555555555p-3;
  return high + (high * z * p + (low - 0.5 * z * low));
}

VECTOR_INLINE double vector_cos_part(double high, double low) {
  double z = high * high;
  double p = -0x1.907d7aebd5e3dp-37;
  p = p * z + 0x1.1eeb68b109173p-29;
  p = p * z - 0x1.27e4fa17a41b4p-22;
  p = p * z + 0x1.a01a019f4e867p-16;
  p = p * z - 0x1.6c16c16c16966p-10;
  p = p * z + 0x1.5555555555555p-5;
  double half = 0.5 * z, s = 1 - half;
  return s + (1 - s - half + (z * z * p - high * low));
}

// Of r and the quarter that it was taken from: the sine, or, one quarter
// further, the cosine.
VECTOR_INLINE double vector_trig_choose(double high, double low,
                                        uint64_t quarter) {
  double s = vector_sin_part(high, low), c = vector_cos_part(high, low);
  double v = quarter & 1 ? c : s;
  return vector_of_bits64(vector_bits64(v) ^ (quarter & 2) << 62);
}

// x = n pi/2 + r. The parts of pi/2 have 33 bits, so that n times each is exact
// below VECTOR_TRIG_LIMIT, and so are the differences, as two numbers.
VECTOR_INLINE double vector_trig(double x, uint64_t quarters) {
  double shifted = x * 0x1.45f306dc9c883p-1 + VECTOR_SHIFT;
  double n = shifted - VECTOR_SHIFT;
  double a = x - n * VECTOR_HALF_PI;
  double w = n * 0x1.0b4611a600000p-34, b = a - w, lost = a - b - w;
  w = n * 0x1.3198a2e000000p-69;
  double c = b - w;
  lost += b - c - w;
  lost -= n * 0x1.b839a252049c1p-104;
  double r = c + lost;
  return vector_trig_choose(r, c - r + lost, vector_bits64(shifted) + quarters);
}

// 0 keeps its sign; sums above lose it.
VECTOR_INLINE double vector_sin(double x) {
  return x == 0 ? x : vector_trig(x, 0);
}
VECTOR_INLINE double vector_cos(double x) {
  return vector_trig(x, 1);
}

// In double for f32, from the next multiple of pi, n pi, where the sine
// is that of the difference or its negative, whole n odd.
VECTOR_INLINE float vector_trigf(double x, double n, uint64_t is_odd) {
  double r = fma(n, -0x1.921fb54442d18p+1, x);
  r = fma(n, -0x1.1a62633145c07p-53, r);
  double z = r * r, p = -0x1.9db1cc2a4cb87p-26;
  p = fma(p, z, 0x1.7196917ff9c49p-19);
  p = fma(p, z, -0x1.a01905ba4208ap-13);
  p = fma(p, z, 0x1.11110fdaaf87bp-7);
  p = fma(p, z, -0x1.5555555460530p-3);
  double v = r * fma(p, z, 1);
  return (float)vector_of_bits64(vector_bits64(v) ^ is_odd << 63);
}
VECTOR_INLINE float vector_sinf(float x) {
  double shifted = fma((double)x, 0x1.45f306dc9c883p-2, VECTOR_SHIFT);
  return vector_trigf(x, shifted - VECTOR_SHIFT, vector_bits64(shifted));
}
// cos(r + n pi + pi/2) is -sin(r) for even n.
VECTOR_INLINE float vector_cosf(float x) {
  double shifted = fma((double)x, 0x1.45f306dc9c883p-2, -0.5) + VECTOR_SHIFT;
  return vector_trigf(x, shifted - VECTOR_SHIFT + 0.5,
                      vector_bits64(shifted) + 1);
}

#endif

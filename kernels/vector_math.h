// SPDX-License-Identifier: Apache-2.0
// exp, log and their kin for f32 without a branch, so that the compiler
// vectorises the loops they stand in. exp, log, tanh are right to less than one
// unit in the last place, and all give the same bits for every vector width: tests
// go through all numbers. What is fused is written so (vector_math64.h says why).
#ifndef KERNELS_VECTOR_MATH_H
#define KERNELS_VECTOR_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float vector_of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static inline int32_t vector_bits(float f) {
  int32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

// x = n log(2) + r with |r| <= log(2) / 2, and a polynomial for exp(r) - 1 - r.
// The first part of log(2) has so few digits that n times it is exact.
static inline float vector_exp_partf(float x, int32_t *n, float *r,
                                     float *r_low) {
  const float shift = 0x1.8p23f; // after which a float has no fraction
  float whole = fmaf(x, 0x1.715476p0f, shift);
  *n = vector_bits(whole) - vector_bits(shift);
  whole -= shift;
  float high = fmaf(whole, -0x1.62e4p-1f, x), low = whole * 1.42860677e-6f;
  *r = high - low;
  *r_low = high - *r - low;
  float p = 0.0013933823f;
  p = fmaf(p, *r, 0.0083632953f);
  p = fmaf(p, *r, 0.041666463f);
  p = fmaf(p, *r, 0.16666576f);
  p = fmaf(p, *r, 0.5f);
  return *r * *r * p;
}

// Times 2^n in two steps, because 2^n alone may be no number of this type.
static inline float vector_expf(float x) {
  int32_t n;
  float y = x < -105 ? -105 : x, r, low;
  y = y > 89 ? 89 : y;
  float rest = vector_exp_partf(y, &n, &r, &low), s = 1 + r;
  float e = s + (r - (s - 1) + (rest + low));
  int32_t half = n >> 1;
  float first = vector_of_bits((uint32_t)(half + 127) << 23);
  float second = vector_of_bits((uint32_t)(n - half + 127) << 23);
  return e * first * second;
}

// x = 2^k m with m near 1; log(m) = 2 atanh(s) with s = (m - 1) / (m + 1).
static inline float vector_logf(float x) {
  float y = x < 0x1p-126f ? x * 0x1p23f : x;
  uint32_t bits = (uint32_t)vector_bits(y);
  int32_t k = (int32_t)(bits - 0x3f3504f3) >> 23;
  float f = vector_of_bits(bits - ((uint32_t)k << 23)) - 1;
  float n = (float)(x < 0x1p-126f ? k - 23 : k);
  float s = f / (2 + f), z = s * s;
  float p = 0.23342863f;
  p = fmaf(p, z, 0.28550357f);
  p = fmaf(p, z, 0.40000126f);
  p = fmaf(p, z, 0.66666669f);
  float part = fmaf(s, fmaf(-z, p, f), n * -1.42860677e-6f);
  float r = fmaf(n, 0x1.62e4p-1f, f - part);
  r = x < INFINITY ? r : x; // and NaN
  r = x < 0 ? (float)NAN : r;
  return x == 0 ? -(float)INFINITY : r;
}

// A polynomial near 0, where 1 - 2 / (exp(2x) + 1) has lost its digits; the
// exponential and the sum have more than a float. With q = 2 / s, what q lacks
// for a sum of s + low is low q^2 / 2.
static inline float vector_tanhf(float x) {
  float a = fabsf(x), z = x * x;
  float p = -0.0060835248f;
  p = fmaf(p, z, 0.020988923f);
  p = fmaf(p, z, -0.053849403f);
  p = fmaf(p, z, 0.13332762f);
  p = fmaf(p, z, -0.33333328f);
  float near = fmaf(x * z, p, x), b = 10 < a ? 10 : a, r, r_low;
  int32_t n;
  float rest = vector_exp_partf(b + b, &n, &r, &r_low), one = 1 + r;
  float tail = r - (one - 1) + (rest + r_low), e = one + tail;
  float scale = vector_of_bits((uint32_t)(n + 127) << 23);
  float s = fmaf(e, scale, 1), low = fmaf(e, scale, -(s - 1));
  low = fmaf(tail - (e - one), scale, low);
  float q = 2 / s, far = 1 - fmaf(q * -0.5f, q * low, q);
  return a < 0.625f ? near : copysignf(far, x);
}

static inline float vector_expitf(float x) {
  float e = vector_expf(-fabsf(x));
  return (x < 0 ? e : 1) / (1 + e);
}

#endif

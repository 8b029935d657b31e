// SPDX-License-Identifier: Apache-2.0
// exp, log and tanh for f64 (vector_angle64.h: sin and cos; vector_power64.h: pow
// and hypot), and those of f32 that want
// more digits on the way, without a branch: the compiler vectorises the loops
// they stand in. There are only sums, products, quotients, roots, choices and
// fused products and sums, each rounded as IEEE 754 says. Which are fused is
// written down, by fma(), and not left to the compiler, so every processor and
// vector width gives the same bits, which the C library does not. Processors
// without the instruction (x86-64 before AVX2) call the C library's fma: slow,
// the same bits. All are right to less than one unit in the last place, hypot to
// 1.25. Polynomials are interpolated at Chebyshev's points.
//
// Arguments that this arithmetic is not right for (`vector_is_far`,
// `vector_pow_is_special`) are computed again, one by one, by the functions of
// kernels/far_math.c.
#ifndef KERNELS_VECTOR_MATH64_H
#define KERNELS_VECTOR_MATH64_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline double vector_of_bits64(uint64_t bits) {
  double f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static inline uint64_t vector_bits64(double f) {
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

// Loops vectorise only where nothing is called in them, and compilers would
// rather call what is as long as this.
#define VECTOR_INLINE static inline __attribute__((always_inline))

// Added to a number it leaves none of its fraction: the sum's last bits are the
// nearest whole number.
#define VECTOR_SHIFT 0x1.8p52

// A number in two parts, whose sum it is: `low` is under one unit of `high`.
struct vector_two {
  double high, low;
};

// The same sum, where |a| >= |b| or a is 0.
VECTOR_INLINE struct vector_two vector_sum(double a, double b) {
  double s = a + b;
  return (struct vector_two){s, b - (s - a)};
}

// x y, exactly, where nothing overflows and the low part is no tiny number.
VECTOR_INLINE struct vector_two vector_product(double x, double y) {
  double p = x * y;
  return (struct vector_two){p, fma(x, y, -p)};
}

// ---- exp ----

// exp(r) for |r| <= log(2) / 2, r = high + low.
VECTOR_INLINE struct vector_two vector_exp_part(double high, double low) {
  double r = high;
  double p = 0x1.1f730349868cep-29;
  p = fma(p, r, 0x1.af4de97ca4194p-26);
  p = fma(p, r, 0x1.27e4db646b17ep-22);
  p = fma(p, r, 0x1.71de0231960ebp-19);
  p = fma(p, r, 0x1.a01a01a6d889cp-16);
  p = fma(p, r, 0x1.a01a01abe7fe1p-13);
  p = fma(p, r, 0x1.6c16c16c162d4p-10);
  p = fma(p, r, 0x1.11111111100dcp-7);
  p = fma(p, r, 0x1.5555555555556p-5);
  p = fma(p, r, 0x1.5555555555557p-3);
  p = fma(p, r, 0.5);
  struct vector_two s = vector_sum(1, r);
  return vector_sum(s.high, s.low + fma(r * r, p, fma(low, r, low)));
}

// 2^n times `x` in two steps, because 2^n alone may be no number of this type;
// `shifted` is n + VECTOR_SHIFT.
VECTOR_INLINE double vector_scale(double x, double shifted) {
  uint64_t n = vector_bits64(shifted) - vector_bits64(VECTOR_SHIFT) + 4096;
  uint64_t half = n >> 1;
  double first = vector_of_bits64((half - 2048 + 1023) << 52);
  double second = vector_of_bits64((n - half - 2048 + 1023) << 52);
  return x * first * second;
}

// x = n log(2) + r. The first part of log(2) has so few digits that n times it
// is exact.
VECTOR_INLINE struct vector_two vector_exp_two(double x, double *shifted) {
  *shifted = fma(x, 0x1.71547652b82fep+0, VECTOR_SHIFT);
  double n = *shifted - VECTOR_SHIFT;
  double high = fma(n, -0x1.62e42fee00000p-1, x);
  double low = n * 0x1.a39ef35793c76p-33;
  double r = high - low;
  return vector_exp_part(r, high - r - low);
}

VECTOR_INLINE double vector_exp(double x) {
  double y = x < -750 ? -750 : x, shifted;
  y = y > 711 ? 711 : y;
  struct vector_two e = vector_exp_two(y, &shifted);
  return vector_scale(e.high, shifted);
}

// ---- log ----

// x = 2^n m with m in [sqrt(1/2), sqrt(2)); x is positive and has all
// its digits. `less` is VECTOR_SHIFT + 1023.
VECTOR_INLINE double vector_split_by(double x, double less, double *n) {
  uint64_t bits = vector_bits64(x) + 0x95f619980c433u;
  uint64_t k = bits & 0xfff0000000000000u;
  double whole = vector_of_bits64(bits >> 52 | vector_bits64(VECTOR_SHIFT));
  *n = whole - less;
  return vector_of_bits64(vector_bits64(x) + ((uint64_t)1023 << 52) - k);
}

// Of any positive x.
VECTOR_INLINE double vector_split(double x, double *n) {
  bool is_small = x < 0x1p-1022;
  return vector_split_by(
      x * (is_small ? 0x1p54 : 1),
      is_small ? VECTOR_SHIFT + 1023 + 54 : VECTOR_SHIFT + 1023, n);
}

// log(m) = 2 atanh(s) with s = (m - 1) / (m + 1), as fdlibm sums it up.
VECTOR_INLINE double vector_log(double x) {
  double n, f = vector_split(x, &n) - 1;
  double s = f / (2 + f), z = s * s;
  double p = 0x1.2b5900de53b32p-3;
  p = fma(p, z, 0x1.39fe51a7c18f9p-3);
  p = fma(p, z, 0x1.7462b51cb66b1p-3);
  p = fma(p, z, 0x1.c71c62e3f11e6p-3);
  p = fma(p, z, 0x1.2492492df281ap-2);
  p = fma(p, z, 0x1.99999999952d7p-2);
  p = fma(p, z, 0x1.5555555555558p-1);
  double part = fma(s, fma(-z, p, f), n * -0x1.a39ef35793c76p-33);
  double r = fma(n, 0x1.62e42fee00000p-1, f - part);
  r = x < (double)INFINITY ? r : x; // and NaN
  r = x < 0 ? (double)NAN : r;
  return x == 0 ? -(double)INFINITY : r;
}

// ---- tanh ----

// A polynomial near 0; further 1 - 2 / (exp(2x) + 1), whose exponential has
// more digits than a double, as has the sum. With q = 2 / s, what q lacks for a
// sum of s + low is low q^2 / 2.
VECTOR_INLINE double vector_tanh(double x) {
  double a = fabs(x), z = x * x, shifted;
  double p = 0x1.f6c6baa465693p-18;
  p = fma(p, z, -0x1.15953612ac867p-15);
  p = fma(p, z, 0x1.8ab2ab4054ef9p-14);
  p = fma(p, z, -0x1.f3bca6647c88ep-13);
  p = fma(p, z, 0x1.3541c30120230p-11);
  p = fma(p, z, -0x1.7da1e3ae03092p-10);
  p = fma(p, z, 0x1.d6d3bfc8e1b27p-9);
  p = fma(p, z, -0x1.226e3520876ebp-7);
  p = fma(p, z, 0x1.664f4881b7e39p-6);
  p = fma(p, z, -0x1.ba1ba1ba19558p-5);
  p = fma(p, z, 0x1.1111111111101p-3);
  p = fma(p, z, -0x1.5555555555555p-2);
  double near = fma(x * z, p, x);
  double b = a > 20 ? 20 : a;
  struct vector_two e = vector_exp_two(2 * b, &shifted);
  double scale = vector_scale(1, shifted);
  struct vector_two s = vector_sum(e.high * scale, 1);
  double q = 2 / s.high, low = fma(e.low, scale, s.low);
  double far = 1 - fma(q * -0.5, q * low, q);
  double r = a < 0.5625 ? near : copysign(far, x);
  return x == x ? r : x;
}

#endif

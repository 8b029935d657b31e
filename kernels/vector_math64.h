// SPDX-License-Identifier: Apache-2.0
// exp, log, sin, cos, tanh, pow and hypot for f64, and those of f32 that want
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

// ---- sin and cos ----

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

// SPDX-License-Identifier: Apache-2.0
// Sines of huge numbers by as many digits of 2/pi as matter (Payne and Hanek,
// "Radian reduction for trigonometric functions", 1983); powers that are no
// 2^(y log2(x)).
#include "kernels/far_math.h"

#include "kernels/vector_angle64.h"
#include "kernels/vector_math64.h"
#include "kernels/vector_power64.h"

__extension__ typedef unsigned __int128 u128;

// 2/pi behind the binary point; the first word stands in front of it.
static const uint64_t two_over_pi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

// The 192 bits that follow bit `start`.
static void take_bits(int start, uint64_t w[3]) {
  const uint64_t *p = two_over_pi + start / 64;
  int shift = start % 64;
  for (int i = 0; i < 3; i++)
    w[i] = shift ? p[i] << shift | p[i + 1] >> (64 - shift) : p[i];
}

// m 2^e times 2/pi as quarters (modulo 4) and what is left, from -1/2 to 1/2 in
// units of 2^-128. Digits that count whole turns are left out.
static uint64_t count_quarters(uint64_t m, int e, u128 *rest) {
  uint64_t w[3];
  take_bits(64 + e - 2, w);
  u128 low = (u128)m * w[2], middle = (u128)m * w[1] + (low >> 64);
  uint64_t top = m * w[0] + (uint64_t)(middle >> 64);
  *rest = (u128)top << 66 | (u128)(uint64_t)middle << 2 | (uint64_t)low >> 62;
  return (top >> 62) + (top >> 61 & 1);
}

// A fraction in units of 2^-128 in two parts.
static struct vector_two fraction_parts(u128 v) {
  if (v == 0)
    return (struct vector_two){0, 0};
  int lead = 0;
  for (; !(v >> 127); lead++)
    v <<= 1;
  double scale = vector_of_bits64((uint64_t)(1023 - lead) << 52);
  uint64_t high = (uint64_t)(v >> 75);
  uint64_t low = (uint64_t)(v >> 22) & (((uint64_t)1 << 53) - 1);
  return vector_sum((double)high * 0x1p-53 * scale,
                    (double)low * 0x1p-106 * scale);
}

double far_trig(double x, uint64_t quarters) {
  if (!(fabs(x) < (double)INFINITY))
    return (double)NAN;
  uint64_t bits = vector_bits64(fabs(x)), one = (uint64_t)1 << 52;
  u128 rest;
  uint64_t quarter =
      count_quarters((bits & (one - 1)) | one, (int)(bits >> 52) - 1075, &rest);
  bool is_below = rest >> 127;
  struct vector_two f = fraction_parts(is_below ? -rest : rest);
  struct vector_two r = vector_product(f.high, 0x1.921fb54442d18p+0);
  r = vector_sum(r.high, r.low + (f.high * 0x1.1a62633145c07p-54 +
                                  f.low * 0x1.921fb54442d18p+0));
  if (is_below)
    r = (struct vector_two){-r.high, -r.low};
  if (x < 0) { // as if it had been reduced itself
    r = (struct vector_two){-r.high, -r.low};
    quarter = -quarter;
  }
  return vector_trig_choose(r.high, r.low, quarter + quarters);
}

// Is a finite y a whole number? Those of 2^53 and more are even.
static bool is_whole(double y) {
  return fabs(y) >= 0x1p53 || y == (double)(int64_t)y;
}
static bool is_odd(double y) {
  return fabs(y) < 0x1p53 && is_whole(y) && ((int64_t)y & 1);
}

// Of |x|, with what the sign of x makes of it.
static double with_sign(double x, double y, double power) {
  bool is_finite = x < 0 && x > -(double)INFINITY;
  if (is_finite && !is_whole(y))
    return (double)NAN;
  return signbit(x) && is_odd(y) ? -power : power;
}

// Of 0 and infinity, and with infinity as power.
static double power_at_ends(double size, double y) {
  return size == 1 ? 1 : (size < 1) == (y < 0) ? (double)INFINITY : 0;
}

double special_pow(double x, double y) {
  double size = fabs(x);
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  bool is_end = vector_pow_is_special(size, y);
  return with_sign(x, y, is_end ? power_at_ends(size, y) : vector_pow(size, y));
}

float special_powf(float x, float y) {
  float size = fabsf(x);
  if (vector_pow_is_special(size, y))
    return (float)special_pow(x, y);
  return (float)with_sign(x, y, vector_powf(size, y));
}

// SPDX-License-Identifier: Apache-2.0
// Special functions. Each says where its formula is from and how far it is
// right: tests compare them with SciPy's values.
#include "kernels/special.h"

#include <math.h>

// Euclid's.
uint64_t special_gcd(uint64_t x, uint64_t y) {
  while (y) {
    uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

// A first guess (Winitzki, "A handy approximation for the error function and
// its inverse", 2008), then Halley's steps. Where erf is near 1 they go by
// erfc, whose digits are still there: 1 - |y| is exact.
double special_erfinv(double y) {
  double size = fabs(y), rest = 1 - size;
  if (!(size < 1))
    return size == 1 ? copysign(INFINITY, y) : NAN;
  if (size < 1e-8) // the next term of the series is below the last digit
    return y * 0.88622692545275801365;
  double l = log(rest * (1 + size)), h = 4.3307467508 + l / 2;
  double x = sqrt(sqrt(h * h - l / 0.147) - h);
  for (int i = 0; i < 3; i++) {
    double off = size < 0.5 ? erf(x) - size : rest - erfc(x);
    double step = off / (1.12837916709551257390 * exp(-x * x));
    x -= step / (1 + x * step);
  }
  return copysign(x, y);
}

// Reflection for x < 0, the recurrence up to 10, then the asymptotic series
// with Bernoulli numbers (NIST Handbook of Mathematical Functions, 5.5.2,
// 5.5.4, 5.11.2).
double special_digamma(double x) {
  if (x == 0)
    return copysign(INFINITY, -x);
  if (x < 0) {
    if (x == floor(x))
      return NAN;
    double r = x - rint(x); // exact; the period of tan(pi x) is 1
    return special_digamma(1 - x) - M_PI / tan(M_PI * r);
  }
  double sum = 0;
  for (; x < 10; x++)
    sum -= 1 / x;
  if (x >= 1e17)
    return log(x);
  static const double terms[] = {-1.0 / 12, 1.0 / 120,    -1.0 / 252,
                                 1.0 / 240, -1.0 / 132,   691.0 / 32760,
                                 -1.0 / 12, 3617.0 / 8160};
  double z = 1 / (x * x), tail = 0;
  for (int i = sizeof terms / sizeof *terms - 1; i >= 0; i--)
    tail = (tail + terms[i]) * z;
  return sum + log(x) - 0.5 / x + tail;
}

// The power series, whose terms are all positive (NIST Handbook, 10.25.2);
// from 30 on the asymptotic one (10.40.1), which is then small enough.
double special_i0(double x) {
  x = fabs(x);
  double term = 1, sum = 1;
  if (x < 30) {
    for (int k = 1; term > sum * 1e-17; k++)
      sum += term *= x * x / 4 / ((double)k * k);
    return sum;
  }
  for (int k = 1; term > 1e-17; k++)
    sum += term *= (2.0 * k - 1) * (2.0 * k - 1) / (8 * x * k);
  // exp(x) alone overflows before the quotient does.
  double half = exp(x / 2);
  return isinf(x) ? x : half / sqrt(2 * M_PI * x) * sum * half;
}

// SPDX-License-Identifier: Apache-2.0
// Derivatives of gamma's logarithm, in the C that is CUDA C too: lax.c includes
// this file, and generated kernels get its text (lua/jax/prims/math.lua). GAMMA
// says what kind of function each is.
#ifndef KERNELS_GAMMA_H
#define KERNELS_GAMMA_H

// The logarithm's asymptotic series after a step up to where it is short
// (Abramowitz and Stegun 6.3.5, 6.3.18); to the left of 0 by reflection, 6.3.7.
GAMMA double gamma_digamma(double x) {
  const double pi = 3.14159265358979323846;
  double shift = 0, sum = 0;
  if (x <= 0) {
    const double part = x - floor(x);
    if (!(part > 0))
      return nan(""); // a pole, or minus infinity
    shift = -pi / tan(pi * part);
    x = 1 - x;
  }
  for (; x < 10; x += 1)
    sum -= 1 / x;
  const double r = 1 / (x * x);
  const double tail =
      r *
      (1.0 / 12 -
       r * (1.0 / 120 -
            r * (1.0 / 252 -
                 r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 -
                                                        r * (1.0 / 12)))))));
  return shift + sum + log(x) - 0.5 / x - tail;
}

// Hurwitz' zeta function, the sum of (q + k)^-s: terms up to where Euler and
// Maclaurin's formula gives the rest (DLMF 25.11.5).
GAMMA double gamma_zeta(double s, double q) {
  // B_2k / (2k)!
  const double b[9] = {1.0 / 12,
                       -1.0 / 720,
                       1.0 / 30240,
                       -1.0 / 1209600,
                       1.0 / 47900160,
                       -691.0 / 1307674368000.0,
                       1.0 / 74724249600.0,
                       -3617.0 / 10670622842880000.0,
                       43867.0 / 5109094217170944000.0};
  if (s == 1)
    return 1.0 / 0.0;
  if (!(s > 1) || q != q)
    return nan("");
  if (q <= 0 && q == floor(q))
    return 1.0 / 0.0;
  if (q < -16777216 || (q < 0 && s != floor(s)))
    return nan("");
  double sum = 0;
  for (; q < 12; q += 1)
    sum += pow(q, -s);
  double factor = s * pow(q, -s - 1);
  sum += pow(q, 1 - s) / (s - 1) + 0.5 * pow(q, -s);
  for (int k = 0; k < 9; k++) {
    sum += b[k] * factor;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (q * q);
  }
  return sum;
}

// The m-th derivative of digamma, for whole m >= 0.
GAMMA double gamma_polygamma(double m, double x) {
  if (m == 0)
    return gamma_digamma(x);
  if (m < 0 || m != floor(m))
    return nan("");
  const double size = tgamma(m + 1) * gamma_zeta(m + 1, x);
  return fmod(m, 2) == 0 ? -size : size;
}

#endif

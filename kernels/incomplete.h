// SPDX-License-Identifier: Apache-2.0
// Incomplete gamma functions, exponential integrals and modified Bessel
// functions, in the C that is CUDA C too, as gamma.h, whose functions they need.
#ifndef KERNELS_INCOMPLETE_H
#define KERNELS_INCOMPLETE_H

// P(a, x) is x^a e^-x / gamma(a + 1) times this series (DLMF 8.11.4): the sum
// and its derivative with respect to a.
GAMMA double gamma_series(double a, double x, double *by_a) {
  double term = 1, slope = 0, sum = 1;
  *by_a = 0;
  for (double n = a + 1; term > 1e-17 * sum && n < a + 100000; n += 1) {
    slope = slope * x / n - term * x / (n * n);
    term *= x / n;
    sum += term;
    *by_a += slope;
  }
  return sum;
}

// Q(a, x) is x^a e^-x / gamma(a) times this continued fraction (DLMF 8.9.2, its
// even part), for x above 1 and a; and its derivative with respect to a.
GAMMA double gamma_fraction(double a, double x, double *by_a) {
  double y = 1 - a, z = x + y + 1;
  double p0 = 1, q0 = x, p1 = x + 1, q1 = z * x, value = p1 / q1;
  double dp0 = 0, dq0 = 0, dp1 = 0, dq1 = -x, slope = 0, change = 1;
  for (int c = 1; change > 1e-15 && c < 100000; c++) {
    y += 1;
    z += 2;
    const double p = p1 * z - p0 * y * c, q = q1 * z - q0 * y * c;
    const double dp = dp1 * z - p1 - dp0 * y * c + p0 * c;
    const double dq = dq1 * z - q1 - dq0 * y * c + q0 * c;
    const double next = p / q, size = fabs(q) > 1e100 ? 1e-100 : 1;
    const double by = (dp - next * dq) / q;
    change = fabs((value - next) / next) + 1e-2 * fabs((slope - by) / by);
    value = next, slope = by;
    p0 = p1 * size, q0 = q1 * size, p1 = p * size, q1 = q * size;
    dp0 = dp1 * size, dq0 = dq1 * size, dp1 = dp * size, dq1 = dq * size;
  }
  *by_a = slope;
  return value;
}

GAMMA bool gamma_by_fraction(double a, double x) {
  return x > 1 && x > a;
}

// The regularised incomplete gamma function, and what it lacks to 1.
GAMMA double gamma_p(double a, double x) {
  double slope;
  if (!(x >= 0) || !(a >= 0) || (a == 0 && x == 0))
    return nan("");
  if (x == 0 || isinf(x) || a == 0)
    return x == 0 ? 0 : 1;
  const double size = exp(a * log(x) - x - lgamma(a));
  if (gamma_by_fraction(a, x))
    return 1 - size * gamma_fraction(a, x, &slope);
  return size / a * gamma_series(a, x, &slope);
}
GAMMA double gamma_q(double a, double x) {
  double slope;
  if (!(x >= 0) || !(a >= 0) || (a == 0 && x == 0))
    return nan("");
  if (x == 0 || isinf(x) || a == 0)
    return x == 0 ? 1 : 0;
  if (!gamma_by_fraction(a, x))
    return 1 - gamma_p(a, x);
  return exp(a * log(x) - x - lgamma(a)) * gamma_fraction(a, x, &slope);
}

// How a gamma number x of shape a moves with a while P(a, x) stays: the
// derivative of P with respect to a by its density, with the other sign.
GAMMA double gamma_sample_grad(double a, double x) {
  double slope;
  if (!(x >= 0) || !(a > 0))
    return nan("");
  if (x == 0)
    return 0;
  if (gamma_by_fraction(a, x)) {
    const double f = gamma_fraction(a, x, &slope);
    return x * ((log(x) - gamma_digamma(a)) * f + slope);
  }
  const double s = gamma_series(a, x, &slope);
  return -x / a * ((log(x) - gamma_digamma(a + 1)) * s + slope);
}

GAMMA double gamma_p_by_a(double a, double x) {
  if (!(x >= 0) || !(a > 0))
    return nan("");
  if (x == 0 || isinf(x))
    return 0;
  return -gamma_sample_grad(a, x) * exp((a - 1) * log(x) - x - lgamma(a));
}

// E_1 and Ei: the series at 0 (DLMF 6.6.2), and far away a continued fraction
// (6.9.1) and the asymptotic series (6.12.2).
GAMMA double gamma_near_ei(double x) {
  double sum = 0, term = 1;
  for (int k = 1; k < 500 && fabs(term) > 1e-18 * fabs(sum); k++) {
    term *= x / k;
    sum += term / k;
  }
  return 0.57721566490153286 + log(fabs(x)) + sum;
}
GAMMA double gamma_e1(double x) {
  if (!(x >= 0))
    return nan("");
  if (x <= 1)
    return x == 0 ? 1.0 / 0.0 : -gamma_near_ei(-x);
  double tail = 0;
  for (int k = 100; k > 0; k--)
    tail = k / (1 + k / (x + tail));
  return exp(-x) / (x + tail);
}
GAMMA double gamma_ei(double x) {
  if (x != x || x == 0)
    return x == 0 ? -1.0 / 0.0 : x;
  if (x < 0)
    return -gamma_e1(-x);
  if (x < 40)
    return gamma_near_ei(x);
  double sum = 1, term = 1;
  for (int k = 1; k < 40; k++)
    sum += term *= k / x;
  return exp(x) / x * sum;
}

// The modified Bessel function of order 0 or 1 by e^|x|: the series at 0 and
// the one at infinity (DLMF 10.25.2, 10.40.1).
GAMMA double gamma_bessel_ie(int order, double x) {
  const double size = fabs(x);
  double sum, term;
  if (size < 30) {
    term = sum = order == 0 ? 1 : size / 2;
    for (int k = 1; k < 200 && term > 1e-18 * sum; k++)
      sum += term *= size * size / (4.0 * k * (k + order));
    sum *= exp(-size);
  } else {
    term = sum = 1;
    for (int k = 1; k < 30; k++) {
      const double odd = 2 * k - 1;
      sum += term *= (odd * odd - 4 * order) / (8 * k * size);
    }
    sum /= sqrt(2 * 3.14159265358979323846 * size);
  }
  return order == 1 && x < 0 ? -sum : sum;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Functions that C's library lacks, in double; narrower types round once.
#ifndef KERNELS_SPECIAL_H
#define KERNELS_SPECIAL_H

#include <stdint.h>

double special_erfinv(double y);  // erf(special_erfinv(y)) = y
double special_digamma(double x); // derivative of log(gamma(x))
double special_i0(double x);      // modified Bessel function, order 0
uint64_t special_gcd(uint64_t x, uint64_t y);

#endif

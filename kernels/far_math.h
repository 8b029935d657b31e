// SPDX-License-Identifier: Apache-2.0
// What vector_math64.h is not right for, one number at a time, by the same
// arithmetic: the same bits on every machine.
#ifndef KERNELS_FAR_MATH_H
#define KERNELS_FAR_MATH_H

#include <stdint.h>

// The sine of `x` at VECTOR_TRIG_LIMIT and beyond, or with 1 quarter the
// cosine; NaN of what is not finite.
double far_trig(double x, uint64_t quarters);

// pow(x, y) of any two numbers: C's Annex F says what 0, infinities, NaN and
// negative numbers give.
double special_pow(double x, double y);
float special_powf(float x, float y);

#endif

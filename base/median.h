// SPDX-License-Identifier: Apache-2.0
// Numbers in their order, and the one in the middle.
#ifndef BASE_MEDIAN_H
#define BASE_MEDIAN_H

#include <stddef.h>

// Sorts in place, the smallest first.
void median_sort(double *values, size_t count);

// The same, and returns the middle one, or of an even number of values the mean
// of the middle two. `count` >= 1.
double median_of(double *values, size_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
// Is a result right? Element by element against the reference.
#ifndef GRADE_COMPARE_COMPARE_H
#define GRADE_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

// A value is right when any one of the limits holds: at most `ulp` floats
// away, or |got - want| <= abs + rel * |want|. Integers must be equal.
// A NaN is right only where the reference is NaN and `allow_nan` is set; an
// infinity only where the reference is the same one; -0 equals 0 unless
// `signed_zero` is set.
struct tolerance {
  double abs, rel;
  int64_t ulp;
  bool allow_nan;
  bool signed_zero;
};

struct comparison {
  size_t wrong; // elements
  size_t first; // index of the first wrong one
  double got, want;
  double max_abs_err; // NaN where a difference is no number
  int64_t max_ulp;    // INT64_MAX where there is no distance
};

void compare_arrays(enum dtype t, const void *got, const void *want,
                    size_t count, const struct tolerance *tol,
                    struct comparison *out);

// Element `i` as a double (64-bit integers may be rounded).
double compare_element(enum dtype t, const void *data, size_t i);

#endif

// SPDX-License-Identifier: Apache-2.0
// The fields `signature` and `kernels`: what the exercise gives and what it wants
// back, and which kernels are handed in.
#ifndef GRADE_EXERCISE_EXERCISE_SIGNATURE_H
#define GRADE_EXERCISE_EXERCISE_SIGNATURE_H

#include "grade/exercise/exercise_fields.h"

// Reads them into the exercise, whose kind and most_launches are known, and
// `kernel` where it is given.
void signature_load(struct fields *l);
void signature_free(struct exercise *ex);

// Are its parameters of these types, "const float *, int"? One that is no value is
// an array.
bool signature_has_types(const struct exercise *ex, const char *types);

#endif

// SPDX-License-Identifier: Apache-2.0
// The field `signature`: what the exercise gives and what it wants back.
#ifndef GRADE_EXERCISE_SIGNATURE_H
#define GRADE_EXERCISE_SIGNATURE_H

#include "grade/exercise_fields.h"

// Reads it into the exercise, whose kind and kernel are known.
void signature_load(struct fields *l);

#endif

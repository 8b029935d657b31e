// SPDX-License-Identifier: Apache-2.0
// The field `rank` of an exercise: what is timed on a real GPU.
#ifndef GRADE_EXERCISE_EXERCISE_RANK_H
#define GRADE_EXERCISE_EXERCISE_RANK_H

#include "grade/exercise/exercise_fields.h"

// The description is on top of the stack, and its cases are loaded.
void exercise_rank_load(struct fields *l);

#endif

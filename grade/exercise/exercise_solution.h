// SPDX-License-Identifier: Apache-2.0
// The solution of an exercise, its starter, and the mutants, which are made of it.
#ifndef GRADE_EXERCISE_EXERCISE_SOLUTION_H
#define GRADE_EXERCISE_EXERCISE_SOLUTION_H

#include "grade/exercise/exercise_fields.h"

// A solution lies in the private folder, or in the exercise's. In a learner's copy
// of a course (grade/publish/) there may be a starter and PTX in its place.
void exercise_solution_load(struct fields *l);

#endif

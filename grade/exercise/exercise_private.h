// SPDX-License-Identifier: Apache-2.0
// What of an exercise lies beside its course's exercises/, in exercises-private/,
// for whoever has it: hidden cases, mutants, the solution.
#ifndef GRADE_EXERCISE_EXERCISE_PRIVATE_H
#define GRADE_EXERCISE_EXERCISE_PRIVATE_H

#include "grade/exercise/exercise_fields.h"

// The folder exercises-private/`name` of the course whose exercises/`name` is
// `folder`; NULL: there is none. To be freed.
char *exercise_private_folder(const char *folder, const char *name);

// Adds the cases (which are hidden) and mutants of the private exercise.lua, if
// there is one, to the description, which is on the stack alone.
void exercise_private_merge(struct fields *l);

#endif

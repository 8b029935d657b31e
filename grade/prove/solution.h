// SPDX-License-Identifier: Apache-2.0
// The tokens of a solution: what an edit can be made of.
#ifndef GRADE_PROVE_SOLUTION_H
#define GRADE_PROVE_SOLUTION_H

#include "grade/exercise/exercise.h"
#include "grade/input/input.h"

// Those of a solution's file, of which the ones between its markers are looked
// at.
void solution_read_tokens(const struct exercise *ex, struct tokens *out);

#endif

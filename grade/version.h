// SPDX-License-Identifier: Apache-2.0
// What a verdict depends on, as hashes: when one of them changes, what was found
// out before is worth nothing.
#ifndef GRADE_VERSION_H
#define GRADE_VERSION_H

#include "grade/exercise.h"

enum { VERSION_HEX = 33 };

// Of the programs that judge, and of the compiler's name.
void version_of_program(char out[VERSION_HEX]);
// Of what its folder holds that decides: description, solution, host's kernels.
void version_of_exercise(const struct exercise *ex, char out[VERSION_HEX]);

#endif

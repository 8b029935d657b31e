// SPDX-License-Identifier: Apache-2.0
// exercise.lua as learners may read it.
#ifndef GRADE_PUBLISH_PUBLISH_TEXT_H
#define GRADE_PUBLISH_PUBLISH_TEXT_H

#include "grade/exercise/exercise.h"

// `source` is the exercise's own file. Out of it go comments, hidden cases, what rules
// say of these, and, where the solution stays behind (`is_locked`), how the mutants are
// made of it. *out is the caller's. ERR_ARGUMENT: something cannot be told apart, or the
// name or a number of a hidden case stands elsewhere too; the line is named.
enum err publish_text(const struct exercise *ex, const char *source,
                      bool is_locked, char **out, struct err_info *e);

// Does the copy have mutant `i` of a locked exercise, as PTX?
bool publish_has_mutant(const struct exercise *ex, int i);

#endif

// SPDX-License-Identifier: Apache-2.0
// What a lesson's form promises: minutes that add up, pictures that fit.
#ifndef REPL_LESSON_FORM_H
#define REPL_LESSON_FORM_H

#include "repl/lesson/lesson.h"

// Says on standard error, with file and line, where the minutes of the header
// are not the sum of the pages' (those of Further do not count, nor exercises,
// which have minutes of their own), where they are not 10 to 25 (`is_own`: a
// lesson of warpshop's own), what is wider than 80 columns, and drawings
// without words (lessons/README.md). Returns how many.
int form_check(const struct lesson *l, bool is_own);

#endif

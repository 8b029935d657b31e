// SPDX-License-Identifier: Apache-2.0
// Nothing is asked before it is taught.
#ifndef REPL_LESSON_TAUGHT_H
#define REPL_LESSON_TAUGHT_H

#include "repl/lesson/lesson.h"

// Reads the lessons up to the last one in order and says, on standard error
// with file and line, what is not as it should be in lesson `number` (0: in
// all): an exercise whose solution uses what no page up to its own teaches; a
// lesson needed that neither comes before nor is one of warpshop's own course; a
// header that names other words than the pages; what form_check finds. With 0 also what is wrong with
// the index of lessons, and, which is no mistake, an exercise that no page has.
// Returns how many.
int taught_check(const struct lesson_index *index, int number);

#endif

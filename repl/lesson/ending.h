// SPDX-License-Identifier: Apache-2.0
// The end of a part, and of the course: reached when the last of its exercises
// has passed.
#ifndef REPL_LESSON_ENDING_H
#define REPL_LESSON_ENDING_H

#include "repl/shop.h"

// `exercise` has passed for the first time: where it was the last of its part,
// or of all, says what the learner can do now, and judges once more what has
// passed, until `is_cancelled` says to stop.
void ending_show(struct shop *s, const char *exercise,
                 bool (*is_cancelled)(void *context), void *context);

#endif

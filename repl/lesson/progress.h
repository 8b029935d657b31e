// SPDX-License-Identifier: Apache-2.0
// How far a learner has come, read from the journal.
#ifndef REPL_LESSON_PROGRESS_H
#define REPL_LESSON_PROGRESS_H

#include <stdbool.h>

#include "base/str.h"
#include "repl/lesson/journal.h"
#include "repl/lesson/lesson.h"

struct exercise_progress {
  bool has_passed, saw_solution;
  bool was_skipped; // last: the machine lacked what it needs
  int tries;        // up to the first that passed
  int hints;
};

struct exercise_progress progress_of(const struct journal *j, const char *name);

// "done in 3 tries, 1 hint", "2 tries", or "" for an exercise never tried.
void progress_add_text(const struct exercise_progress *p, struct str *out);

// The i-th exercise of a lesson, or NULL past the last.
const char *progress_exercise(const struct lesson *l, int i);

// Whether the i-th exercise stands on a page of Further.
bool progress_is_further(const struct lesson *l, int i);

// A lesson is done when its last page was seen and its exercises have passed, or
// could not be judged here; the pages of Further count for nothing.
bool progress_is_done(const struct journal *j, const struct lesson *l);

#endif

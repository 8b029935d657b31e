// SPDX-License-Identifier: Apache-2.0
// All first-order edits of a solution: what a slip of one token, one argument
// or one statement makes of it.
#ifndef GRADE_PROVE_EDIT_H
#define GRADE_PROVE_EDIT_H

#include <stdint.h>

#include "grade/exercise/exercise.h"

// One edit of the solution's file.
struct edit {
  int line, column;     // from 1
  size_t offset, bytes; // what goes
  char *with;           // what comes
  char *id;             // "6:14 < to <="
};

struct edits {
  int count;
  struct edit *list;
};

// Those between the markers, in the order of the text; no two of them make the
// same text. The first case's sizes stand for numbers that a learner would
// write out. ERR_ARGUMENT: that case cannot be made.
enum err edits_make(struct exercise *ex, struct edits *out, struct err_info *e);
void edits_free(struct edits *edits);

// The solution's file with it done; the caller frees it.
char *edit_text(const char *file, const struct edit *edit);

#endif

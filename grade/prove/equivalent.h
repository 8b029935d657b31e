// SPDX-License-Identifier: Apache-2.0
// The file `equivalent` of an exercise: edits of its solution that are right, and
// why.
#ifndef GRADE_PROVE_EQUIVALENT_H
#define GRADE_PROVE_EQUIVALENT_H

#include "grade/exercise/exercise.h"

struct equivalent {
  int line;         // of the file
  char *id;         // "6:3 int to unsigned"
  char *reason;     // NULL: none stands below it
  bool is_standing; // there is such an edit
};

struct equivalents {
  int count;
  struct equivalent *list;
};

// Lines of edits, and below them, indented, the reason for all of them; "#"
// begins a comment. An exercise without the file has none. ERR_ARGUMENT names
// what is no such file.
enum err equivalents_read(const struct exercise *ex, struct equivalents *out,
                          struct err_info *e);
void equivalents_free(struct equivalents *q);
// NULL: that edit is not listed.
struct equivalent *equivalents_find(const struct equivalents *q,
                                    const char *id);

#endif

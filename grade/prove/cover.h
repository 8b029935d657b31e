// SPDX-License-Identifier: Apache-2.0
// What of a solution no case of its exercise executes.
#ifndef GRADE_PROVE_COVER_H
#define GRADE_PROVE_COVER_H

#include "grade/judge/judge.h"

// A line that never runs, or a condition that is always the same.
struct cover_hole {
  int line, column; // column 0: the whole line
  char *text;       // "no case executes this", "i < n is never false"
};

struct cover {
  int lines, branches; // that there are; each branch has two ways
  int hole_count;
  struct cover_hole *holes; // in the order of the text
};

// Runs the solution in every case, on one set of inputs each. ERR_COMPILE: the
// marks that are put into its conditions do not fit there.
enum err cover_run(struct judge *j, struct exercise *ex, struct cover *out,
                   struct err_info *e);
void cover_free(struct cover *c);

#endif

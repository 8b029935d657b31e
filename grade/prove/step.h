// SPDX-License-Identifier: Apache-2.0
// Does an exercise judge rightly? Its starter must fail, its solution must
// pass, and every mutant must be caught.
#ifndef GRADE_PROOF_H
#define GRADE_PROOF_H

#include "grade/judge.h"

struct proof_step {
  const char *what; // "starter", "solution", "mutant"
  const char *name; // of the mutant, or ""
  bool holds;
  const char *how; // the verdict and its first sentence
};

// Calls `show` for every step; returns 0 when all hold, 2 when one does not
// (the exercise is broken) and 3 when the machine failed.
int proof_run(struct judge *j, struct exercise *ex,
              void (*show)(void *context, const struct proof_step *p),
              void *context);

#endif

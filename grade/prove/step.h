// SPDX-License-Identifier: Apache-2.0
// What an exercise must judge rightly in any case: its starter fails, its solution
// passes, every named mutant is caught.
#ifndef GRADE_PROVE_STEP_H
#define GRADE_PROVE_STEP_H

#include "grade/judge/judge.h"

struct step {
  const char *what; // "starter", "solution", "mutant"
  const char *name; // of the mutant; or what is to happen, "fails", "passes"
  bool holds;
  bool is_skipped; // for want of hardware: nothing is known of it here
  char *how;       // the verdict and its first sentence; to be freed
  int exit_code;   // 0; 2: the exercise is broken; 3: the machine failed
};

// The starter, the solution and then each mutant.
int step_count(const struct exercise *ex);
void step_run(struct judge *j, struct exercise *ex, int i, struct step *out);

// Judges a text of the exercise's; the verdict is the caller's.
struct verdict *step_judge(struct judge *j, struct exercise *ex,
                           const char *text);
// "fail: line 4: write out of bounds ..."; to be freed.
char *step_describe(const struct verdict *v);
// Was it found wrong, and not only refused by the compiler?
bool step_is_caught(const struct verdict *v);

#endif

// SPDX-License-Identifier: Apache-2.0
// What must be executed for a result: rows of requires.def, over what the
// virtual GPU says that a block's results are made of.
#ifndef GRADE_JUDGE_REQUIRES_H
#define GRADE_JUDGE_REQUIRES_H

#include "gpu/gpu.h"
#include "grade/runner/runner.h"
#include "grade/verdict/verdict.h"

// The launches of one case, followed.
struct requires_case {
  bool is_known; // it was
  int count;
  struct run_trace *launches;
};

// Holds the blocks of a right submission's launches (`mine`) against those of the
// exercise's own solution (`own`), case by case: adds each requirement with its verdict to
// `v`, fails the cases in which one is broken, and says how. Of the solution it need
// not know the cases that are not open, where requires_are_met.
void requires_judge(struct verdict *v, const struct exercise *ex,
                    const struct requires_case *mine,
                    const struct requires_case *own);

// Does it depend on the solution's launches whether the requirements are met in this
// case? Not where all blocks meet them, be they full or not.
bool requires_are_open(const struct exercise *ex,
                       const struct requires_case *mine);
// Is none broken, whatever the solution's launches are in the cases where they are
// not known? What is broken by what is known may be none when all is.
bool requires_are_met(const struct exercise *ex,
                      const struct requires_case *mine,
                      const struct requires_case *own);

#endif

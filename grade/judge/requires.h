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
  int count;
  struct run_trace *launches;
};

// Holds the blocks of a right submission's launches (`mine`) against those of the
// exercise's own solution (`own`), case by case: adds each requirement with its verdict to
// `v`, fails the cases in which one is broken, and says how.
void requires_judge(struct verdict *v, const struct exercise *ex,
                    const struct requires_case *mine,
                    const struct requires_case *own);

#endif

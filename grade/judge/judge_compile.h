// SPDX-License-Identifier: Apache-2.0
// A submission compiled.
#ifndef GRADE_JUDGE_JUDGE_COMPILE_H
#define GRADE_JUDGE_JUDGE_COMPILE_H

#include "grade/judge/judge_trial.h"

// Compiles it for the checked device and finds the kernel; false where the
// verdict says why there is none.
bool judge_compile_submission(struct trial *t);

#endif

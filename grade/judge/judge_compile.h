// SPDX-License-Identifier: Apache-2.0
// A submission compiled.
#ifndef GRADE_JUDGE_JUDGE_COMPILE_H
#define GRADE_JUDGE_JUDGE_COMPILE_H

#include "grade/judge/judge_trial.h"

// Of the cache or anew; `out` is the caller's also where it does not compile.
enum err judge_compile(struct judge *j, const struct judge_compile *c,
                       struct nvrtc_program **out, struct err_info *e);
// Compiles it for the checked device and finds the kernel; false where the
// verdict says why there is none.
bool judge_compile_submission(struct trial *t);

#endif

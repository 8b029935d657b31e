// SPDX-License-Identifier: Apache-2.0
// What a wrong result is like.
#ifndef GRADE_JUDGE_JUDGE_WRONG_H
#define GRADE_JUDGE_JUDGE_WRONG_H

#include "grade/judge/judge_trial.h"

// Says what a wrong result without a finding is like.
void judge_explain_wrong(struct trial *t);

// Is another program of the exercise's right in case `i`?
bool judge_other_is_right(struct trial *t, const struct judge_compile *c,
                          int i);

#endif

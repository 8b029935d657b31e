// SPDX-License-Identifier: Apache-2.0
// The exercise's rules over what was counted.
#ifndef GRADE_JUDGE_JUDGE_EFFICIENCY_H
#define GRADE_JUDGE_JUDGE_EFFICIENCY_H

#include "grade/judge/judge_trial.h"

// The exercise's rules over what was counted of the submission.
void judge_efficiency(struct trial *t);

#endif

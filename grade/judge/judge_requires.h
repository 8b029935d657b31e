// SPDX-License-Identifier: Apache-2.0
// Was a submission that is right done as the exercise requires?
#ifndef GRADE_JUDGE_JUDGE_REQUIRES_H
#define GRADE_JUDGE_JUDGE_REQUIRES_H

#include "grade/judge/judge_trial.h"

void judge_requirements(struct trial *t);

// The verdict of a run that did not come to its end because it was followed.
enum verdict_kind judge_untraced(struct trial *t, int i,
                                 const struct problem *p,
                                 const struct run_result *r);

#endif

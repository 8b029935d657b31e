// SPDX-License-Identifier: Apache-2.0
// Have the devices what the exercise asks for?
#ifndef GRADE_JUDGE_JUDGE_HARDWARE_H
#define GRADE_JUDGE_JUDGE_HARDWARE_H

#include "grade/judge/judge_trial.h"

// True where they have not: the verdict is `skipped` then, and says what is
// lacking.
bool judge_lacks_hardware(struct trial *t);

#endif

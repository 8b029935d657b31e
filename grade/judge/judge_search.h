// SPDX-License-Identifier: Apache-2.0
// A hidden case fails, and no visible one: is there a failure that may be shown?
#ifndef GRADE_JUDGE_JUDGE_SEARCH_H
#define GRADE_JUDGE_JUDGE_SEARCH_H

#include "grade/judge/judge_trial.h"

// Runs the submission on inputs that everybody could draw: visible cases, sizes
// that lie between theirs, and seeds made of the exercise's name and a number. The
// first failure that the exercise's own solution does not share is made smaller,
// its size and then its values, and becomes a note. Nothing of hidden cases is
// used but that one fails; where nothing is found, nothing is said.
void judge_search(struct trial *t);

#endif

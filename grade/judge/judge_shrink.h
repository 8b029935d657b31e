// SPDX-License-Identifier: Apache-2.0
// Makes inputs on which a submission fails smaller.
#ifndef GRADE_JUDGE_JUDGE_SHRINK_H
#define GRADE_JUDGE_JUDGE_SHRINK_H

#include "grade/judge/judge_trial.h"

// Is the submission wrong on these inputs, and the exercise's own solution right?
// What the submission did is in `r`, and to be freed, where it is so.
bool judge_is_failing(struct trial *t, const struct problem *p,
                      struct run_result *r);

// The inputs of case `i` with other sizes, and the results that they must have.
bool judge_make_changed(struct trial *t, int i,
                        const struct case_changes *changes,
                        const struct seed *seed, struct problem *out);

// `p` fails: it becomes the smallest that is found to fail as well. First its
// sizes, one by one; then parts of its arrays hold the value nearest to zero that
// is in them.
void judge_shrink(struct trial *t, struct problem *p);

#endif

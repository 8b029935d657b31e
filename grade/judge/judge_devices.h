// SPDX-License-Identifier: Apache-2.0
// A second device beside the checked one.
#ifndef GRADE_JUDGE_JUDGE_DEVICES_H
#define GRADE_JUDGE_JUDGE_DEVICES_H

#include "grade/judge/judge_trial.h"

// Judges all cases there, too, and what it means where the two disagree.
void judge_second_device(struct trial *t);

// Compiles it. NULL, or why it cannot run there; the caller frees that.
char *judge_candidate_make(struct trial *t, const struct judge_compile *c,
                           struct judge_candidate *out);
void judge_candidate_free(struct judge_candidate *c);

#endif

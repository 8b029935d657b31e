// SPDX-License-Identifier: Apache-2.0
// A submission that has passed, timed beside the solution on a real GPU.
#ifndef GRADE_JUDGE_JUDGE_RANK_H
#define GRADE_JUDGE_JUDGE_RANK_H

struct trial;

// Fills verdict.rank; changes nothing else of the verdict.
void judge_rank(struct trial *t);

#endif

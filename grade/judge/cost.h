// SPDX-License-Identifier: Apache-2.0
// What one submission may cost, in counted work: the same on every machine.
#ifndef GRADE_JUDGE_COST_H
#define GRADE_JUDGE_COST_H

#include "gpu/gpu.h"
#include "grade/verdict/verdict.h"

// Measured on a core of 2.5 GHz: 2^30 units take 0.3 to 2.5 s. A launch may be
// charged twice that many, all runs of a submission together four times that.
#define COST_OF_LAUNCH     (UINT64_C(1) << 31)
#define COST_OF_SUBMISSION (UINT64_C(1) << 33)

// What the next launch may be charged, after `before`, when all may be charged
// `most`; never 0.
uint64_t cost_limit(const struct gpu_work *before, uint64_t most);

// Adds the diagnostic `cost` of case `order`: `what` charged `w`, above `limit`.
// How that adds up is not told of hidden cases.
void cost_diagnose(struct verdict *v, int order, const char *what,
                   uint64_t limit, const struct gpu_work *w);

#endif

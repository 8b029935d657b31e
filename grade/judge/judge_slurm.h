// SPDX-License-Identifier: Apache-2.0
// A batch script that Slurm runs, and what came of it.
#ifndef GRADE_JUDGE_JUDGE_SLURM_H
#define GRADE_JUDGE_JUDGE_SLURM_H

#include "grade/judge/judge_trial.h"

// Hands the script to sbatch and waits for it, with the rights of whoever judges
// (docs/security.md). Without Slurm a note says that it was only read.
void judge_in_slurm(struct trial *t);

#endif

// SPDX-License-Identifier: Apache-2.0
// A hand-in of kind batch. It is read as sbatch reads it, and never run here. Where
// the exercise says `runs_in_slurm` and who judges says so too, Slurm runs it.
#ifndef GRADE_JUDGE_JUDGE_SCRIPT_H
#define GRADE_JUDGE_JUDGE_SCRIPT_H

#include "grade/judge/judge_trial.h"

// Fills the verdict: a case for each rule of the exercise.
void judge_script(struct trial *t);

#endif

// SPDX-License-Identifier: Apache-2.0
// Exercises of kind batch: what is handed in is a script for sbatch, and each case
// asks one thing of it.
#ifndef GRADE_EXERCISE_EXERCISE_SCRIPT_H
#define GRADE_EXERCISE_EXERCISE_SCRIPT_H

#include "grade/exercise/exercise_fields.h"

// Fills the cases and their rules from the table on top.
void exercise_script_load(struct fields *l);
void exercise_script_free(struct exercise *ex);

#endif

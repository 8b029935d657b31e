// SPDX-License-Identifier: Apache-2.0
// A batch judged by the tasks of Slurm's job arrays. Job ids are never trusted: a
// controller that dies may hand one out twice. What was sent is known by our own
// key in the comment, what is done by what lies in the spool.
#ifndef GRADE_BATCH_SLURM_ENGINE_H
#define GRADE_BATCH_SLURM_ENGINE_H

#include "grade/batch/batch_run.h"

// Sends every hand-in that has no verdict, and returns when all have one. A task
// that ended without one is sent again, once; then that is the verdict, `error`.
// While Slurm does not answer it waits, since tasks may go on. ERR_ARGUMENT:
// Slurm refuses, in its words; ERR_IO: the spool cannot be written.
enum err slurm_engine_run(struct batch_run *r, struct err_info *e);

#endif

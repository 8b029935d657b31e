// SPDX-License-Identifier: Apache-2.0
// One task of a job array, on a node of the cluster.
#ifndef GRADE_BATCH_SLURM_TASK_H
#define GRADE_BATCH_SLURM_TASK_H

#include "base/err.h"

// Judges the share of plan `number` that task `index` has, and puts each verdict
// into the spool. ERR_ARGUMENT, ERR_IO: the spool or what is in it is not what
// was sent; ERR_DEVICE_LOST: the node cannot judge.
enum err slurm_task_run(const char *spool, int number, int index,
                        struct err_info *e);

#endif

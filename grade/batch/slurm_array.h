// SPDX-License-Identifier: Apache-2.0
// One job array of a batch: what its tasks judge, and how Slurm gets it.
#ifndef GRADE_BATCH_SLURM_ARRAY_H
#define GRADE_BATCH_SLURM_ARRAY_H

#include "grade/batch/batch_run.h"
#include "grade/batch/spool.h"

struct slurm_array {
  int number;      // of its plan
  int each, count; // hand-ins of one task, of all
  int *items;      // their numbers
  bool is_sure;    // Slurm is known to have it
  bool is_seen;    // in the queue, this time
};

int slurm_array_tasks(const struct slurm_array *s);
// By which array `number` is found in the queue again; to be freed.
char *slurm_array_comment(const struct spool *s, int number);

// The GPU that a task asks for, as "--gres=..."; NULL: none. `device` as in
// judge_options. Correctness takes a part of one where they are handed out in
// parts; what is ranked has it alone.
const char *slurm_array_gres(const char *device, bool is_ranked,
                             bool has_shards);

// Its hand-ins and its plan, into the spool.
enum err slurm_array_put(const struct batch_run *r, const struct slurm_array *s,
                         struct err_info *e);
// Hands it to sbatch. Errors as of slurm_submit.
enum err slurm_array_submit(const struct batch_run *r,
                            const struct slurm_array *s, bool has_shards,
                            struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// `grade --engine slurm`, and what its tasks run.
#ifndef GRADE_SUBCOMMAND_GRADE_CLUSTER_H
#define GRADE_SUBCOMMAND_GRADE_CLUSTER_H

#include "cluster/cluster.h"
#include "grade/batch/batch.h"

struct grade_cluster {
  struct slurm_wish wish;
  struct batch_cluster on; // of the batch
};

// Is it an engine, "local" or "slurm", with or without wishes? `*is_slurm`: the
// latter.
enum err grade_engine_parse(const char *text, bool *is_slurm,
                            struct slurm_wish *wish, struct err_info *e);

// Of the batch that keeps its verdicts in `journal`; `spool` NULL: beside that.
// An exit code, told.
int grade_cluster_open(struct grade_cluster *c, const char *engine,
                       const char *spool, const char *journal, bool resumes);
// `is_done`: nothing is left to fetch, and the spool goes.
void grade_cluster_close(struct grade_cluster *c, bool is_done);

// `grade --task N --spool FOLDER`, on a node; an exit code, told.
int grade_task(const char *number, const char *spool);

#endif

// SPDX-License-Identifier: Apache-2.0
// Slurm through its commands: what is configured, what is queued, what is handed
// over. No library of Slurm's is linked (it is bound to one version of it), no
// shell is in between, and accounting is not needed. slurm.schedmd.com, manual
// pages of sbatch, squeue and scontrol.
#ifndef CLUSTER_SLURM_H
#define CLUSTER_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

// Are sbatch and squeue among the programs here?
bool slurm_is_here(void);

struct slurm_config {
  int most_tasks;  // of one array (MaxArraySize)
  bool has_shards; // GPUs are handed out in parts (GresTypes)
};

// ERR_NOT_FOUND: there is no Slurm here; ERR_NOT_READY: its controller does not
// answer, with its own words.
enum err slurm_config_read(struct slurm_config *out, struct err_info *e);
// The same of what `scontrol show config` prints.
void slurm_config_parse(const char *text, struct slurm_config *out);

// A task that the queue has, or had a moment ago.
struct slurm_task {
  char *comment; // its job's
  int index;     // in its array; -1: it is in none
  bool is_live;  // it waits, runs or may run again
  bool runs;
  char *state;  // "PD"
  char *reason; // "Resources", "None"
};

struct slurm_queue {
  int count;
  struct slurm_task *list;
};

// The caller's own. Errors as of slurm_config_read.
enum err slurm_queue_read(struct slurm_queue *out, struct err_info *e);
// The same of lines "index|state|comment|reason"; others are passed over.
void slurm_queue_parse(const char *text, struct slurm_queue *out);
void slurm_queue_free(struct slurm_queue *q);

// Hands over `words`, a NULL-terminated list for sbatch. ERR_ARGUMENT: refused,
// with its words; ERR_NOT_READY: nobody knows whether it was taken.
enum err slurm_submit(const char *const *words, struct err_info *e);

// sinfo's partitions, one line each: "name|gres|available|time limit", or an error
// as of slurm_config_read. To be freed.
enum err slurm_partitions_read(char **out, struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// A cluster's login node: it has Slurm's commands and no GPU, and we run in no job.
#ifndef CLUSTER_LOGIN_H
#define CLUSTER_LOGIN_H

#include <stdbool.h>

bool login_is_here(void);

// Has this machine a GPU? Looks at device nodes alone: no driver is opened.
bool login_has_gpu(void);

// The command that gets a GPU here and starts warpshop at it, from what sinfo says
// of the partitions; NULL: none has a GPU, or Slurm does not answer. To be freed.
char *login_line(void);
// The same of lines "name|gres|available|time limit".
char *login_line_of(const char *partitions);

// "1234, 43 min left" of the job that we run in; NULL: in none. To be freed.
char *login_job(void);

#endif

// SPDX-License-Identifier: Apache-2.0
// What a user asks of Slurm, as one word: "partition=gpu,time=1:00:00".
#ifndef CLUSTER_SLURM_WISH_H
#define CLUSTER_SLURM_WISH_H

#include <stdbool.h>

#include "base/err.h"

enum { SLURM_MAX_WISHES = 16 };

struct slurm_wish {
  int count;
  char *options[SLURM_MAX_WISHES]; // "--partition=gpu", for sbatch and srun
  int each;                        // hand-ins of one task; 0: not said
};

// `text` is what stands behind "slurm:", or empty. ERR_ARGUMENT names the part
// that is none, and what there is.
enum err slurm_wish_parse(const char *text, struct slurm_wish *out,
                          struct err_info *e);
// Does it say this option, such as "--time"?
bool slurm_wish_has(const struct slurm_wish *w, const char *option);
void slurm_wish_free(struct slurm_wish *w);

#endif

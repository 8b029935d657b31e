// SPDX-License-Identifier: Apache-2.0
// A batch while it is judged: what the processes here and a cluster share.
#ifndef GRADE_BATCH_BATCH_RUN_H
#define GRADE_BATCH_BATCH_RUN_H

#include "grade/batch/batch.h"

struct batch_run {
  const struct batch *b;
  json_t **verdicts; // NULL: not judged yet
  char (*keys)[BATCH_KEY_HEX];
  int *waiting; // numbers of hand-ins that the pool's tasks are
  int waiting_count;
  bool is_last;           // whoever dies now is not tried again
  struct err_info failed; // the journal could not be written
};

// Hand-in `i` has its verdict, which is the batch's from now on: into the journal
// (unless it was kept there) and on to who asked.
void batch_take(struct batch_run *r, int i, json_t *verdict, bool was_kept);

// A verdict `error`, of which the machine is to blame.
json_t *batch_error(const struct batch_run *r, int i,
                    const struct err_info *why);

#endif

// SPDX-License-Identifier: Apache-2.0
// A folder that this machine and a cluster's nodes share: what is to be judged
// goes in, verdicts come out, each by rename, so that nobody sees half of one.
//   id          tells this batch's tasks from others'
//   in/         copies of the hand-ins, as this machine read them
//   plan/N.json what the tasks of one array judge
//   out/KEY     a verdict, as a record (base/record.h)
//   log/        what the tasks print
#ifndef GRADE_BATCH_SPOOL_H
#define GRADE_BATCH_SPOOL_H

#include "grade/batch/batch.h"

const char *spool_path(const struct spool *s); // absolute
const char *spool_id(const struct spool *s);

// The copy that a task reads, in the folder "in": <learner>/<exercise>.cu.
enum err spool_put_hand_in(struct spool *s, const struct hand_in *one,
                           struct err_info *e);

// A file of the spool's own, such as "plan/3.json".
enum err spool_put(struct spool *s, const char *name, const char *text,
                   struct err_info *e);
void spool_drop(struct spool *s, const char *name);
// The numbers of the plans that there are; to be freed.
int *spool_plans(struct spool *s, int *count);
// What is read of plan N by whoever has the folder; ERR_IO: it is none.
enum err spool_read_plan(const char *path, int number, json_t **out,
                         struct err_info *e);

// From a task: the verdict of the hand-in that was asked for as `wanted`, whose
// key is `key` where the task runs; NULL: it was not judged, for they differ.
enum err spool_put_verdict(const char *path, const char *wanted,
                           const char *key, json_t *verdict,
                           struct err_info *e);

// Every verdict that has come; what `take` has no use for any more (it returns
// true) is removed, and so is what is no record.
struct spool_reader {
  bool (*take)(void *context, const char *wanted, const char *key,
               json_t *verdict);
  void *context;
};
void spool_collect(struct spool *s, const struct spool_reader *to);
// Asks the file server anew what "out" holds: a network's file system may go on
// showing what was there a minute ago, unless we change the folder ourselves.
void spool_refresh(struct spool *s);

// The last line that any task of array job comment N, index I printed; NULL:
// nothing. To be freed.
char *spool_last_words(struct spool *s, int number, int index);

#endif

// SPDX-License-Identifier: Apache-2.0
// Many hand-ins judged by several processes, each learner's with a device server
// and a compile worker of their own. What a judge's death takes along is judged
// again.
#ifndef GRADE_BATCH_BATCH_H
#define GRADE_BATCH_BATCH_H

#include <jansson.h>

#include "grade/batch/hand_in.h"
#include "grade/batch/journal.h"
#include "grade/judge/judge.h"

struct slurm_wish;
struct spool;

// On a cluster (slurm_engine.h).
struct batch_cluster {
  struct spool *spool;
  const struct slurm_wish *wish;
  int at_once; // tasks that run at a time; 0: as many as there is room for
  // Told as they happen: what is sent, that Slurm does not answer.
  void (*note)(void *context, const char *text);
};

struct batch {
  const struct hand_ins *hand_ins;
  int jobs;
  const struct batch_cluster *cluster;  // NULL: they are judged here
  const char *secret, *course, *device; // as in judge_options
  bool ranks;                           // likewise
  struct verdict_journal *journal;      // NULL: nothing is kept
  // Called in the order in which they are done, also of those that the journal
  // has (`was_kept`); the verdict is the batch's until it is freed.
  void (*done)(void *context, int i, json_t *verdict, bool was_kept);
  void *context;
};

// One, by a judge that is open.
struct verdict *batch_judge(struct judge *j, const struct hand_in *one);

enum { BATCH_KEY_HEX = SEED_HEX };
// What each hand-in's verdict depends on, as a hash: program, exercise, seed,
// source, second device. ERR_ARGUMENT and ERR_IO speak of the secret.
enum err batch_keys(const struct batch *b, char (*keys)[BATCH_KEY_HEX],
                    struct err_info *e);

// `verdicts` gets one a hand-in, the caller's references. ERR_ARGUMENT and ERR_IO
// speak of the secret or the journal; ERR_DEVICE_LOST: this machine cannot judge.
enum err batch_run(const struct batch *b, json_t **verdicts,
                   struct err_info *e);

#endif

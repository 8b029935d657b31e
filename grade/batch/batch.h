// SPDX-License-Identifier: Apache-2.0
// Many hand-ins judged by several processes, each learner's with a device server
// and a compile worker of their own. What a judge's death takes along is judged
// again.
#ifndef GRADE_BATCH_BATCH_H
#define GRADE_BATCH_BATCH_H

#include <jansson.h>

#include "grade/input/input.h"
#include "grade/judge/judge.h"

// ---- What is judged: whose it is, of which exercise, its text ----

struct hand_in {
  char *name;          // to show: "add.cu", "anna/vector-add.cu"
  char *learner;       // NULL: nobody in particular
  char *file;          // in the learner's folder; NULL: it is in none
  struct exercise *ex; // borrowed
  struct source source;
  char *refused;          // what source_read said; NULL: it is a source
  struct err_info unread; // code ERR_OK: it was read
};

struct hand_ins {
  int count;
  struct hand_in *list;
  int exercise_count; // that they are of
  struct exercise **exercises;
  int note_count; // what is in the folder and is none, and why
  char **notes;
};

// The files at `paths`, all of exercise `name`. ERR_NOT_FOUND and ERR_ARGUMENT
// speak of the exercise.
enum err hand_ins_of_files(const char *name, char **paths, int count,
                           const char *learner, struct hand_ins *out,
                           struct err_info *e);

// Of a folder of hand-ins, FOLDER/<learner>/<exercise>.cu, .lua or .sh, by learner
// and exercise; of the exercises `names` alone where there are some. ERR_IO: it
// cannot be read; ERR_NOT_FOUND: nothing in it is a hand-in.
enum err hand_ins_of_folder(const char *folder, char **names, int name_count,
                            struct hand_ins *out, struct err_info *e);

// As hand_ins_of_folder of these alone, in this order: `learners[i]`'s file
// `files[i]`. ERR_ARGUMENT: one is no hand-in.
enum err hand_ins_of_list(const char *folder, const char *const *learners,
                          const char *const *files, int count,
                          struct hand_ins *out, struct err_info *e);

void hand_ins_free(struct hand_ins *h);

// ---- What is kept while a batch is judged, so that it goes on where it was ----

struct verdict_journal; // a file of records (base/record.h), journal.h

// Opens the file, or makes it with mode 0600; `wants_old`: what it holds can be
// found. ERR_IO names it and says why; ERR_ARGUMENT: it holds something else.
enum err verdict_journal_open(const char *path, bool wants_old,
                              struct verdict_journal **out, struct err_info *e);
void verdict_journal_close(struct verdict_journal *j);

struct spool; // the folder that a cluster's nodes see as well, spool.h

// Makes it, mode 0700, or goes on with what is there (`resumes`), else empties
// it. One process at a time has it. ERR_ARGUMENT: it is somebody else's, can be
// written by others, is no spool or is in use; ERR_IO.
enum err spool_open(const char *path, bool resumes, struct spool **out,
                    struct err_info *e);
// `removes`: all of it goes.
void spool_close(struct spool *s, bool removes);

// ---- A batch ----

struct slurm_wish;

// On a cluster.
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

// One task of a job array, on a node of the cluster: judges the share of plan
// `number` that task `index` has, and puts each verdict into the spool.
// ERR_ARGUMENT, ERR_IO: the spool or what is in it is not what was sent;
// ERR_DEVICE_LOST: the node cannot judge.
enum err slurm_task_run(const char *spool, int number, int index,
                        struct err_info *e);

// ---- Verdicts that were made before ----

// As `warpshop grade --json` printed them, or as a journal keeps them: an array of
// objects {"schema": "warpshop.grade/1", ...}, the caller's reference.
// ERR_IO: the file cannot be read; ERR_ARGUMENT: it is neither of the two.
enum err verdicts_read(const char *path, json_t **out, struct err_info *e);

#endif

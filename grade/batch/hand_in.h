// SPDX-License-Identifier: Apache-2.0
// What is to be judged: whose it is, of which exercise, and its text.
#ifndef GRADE_BATCH_HAND_IN_H
#define GRADE_BATCH_HAND_IN_H

#include "grade/exercise.h"
#include "grade/input/source.h"

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

#endif

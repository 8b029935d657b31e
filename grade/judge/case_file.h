// SPDX-License-Identifier: Apache-2.0
// One failing launch in one file: the code, the inputs, their seed, the order of
// blocks and warps. `warpshop grade FILE.case` judges it again, on any machine;
// :debug FILE.case steps it.
#ifndef GRADE_JUDGE_CASE_FILE_H
#define GRADE_JUDGE_CASE_FILE_H

#include <jansson.h>

#include "grade/exercise.h"
#include "grade/input/source.h"

// What is kept; all borrowed.
struct case_kept {
  const struct exercise *ex;
  const struct source *source;
  const struct case_input *in; // before the launch
  const struct seed *seed;
  uint64_t order; // schedule_seed, see gpu.h
};

struct case_file {
  struct exercise *ex; // with that case alone
  int others;          // cases that it has besides
  struct source source;
  struct case_input in;
  struct seed seed;
  uint64_t order;
};

bool case_file_is(const char *name); // "add.case"

// {"schema": "warpshop.case/1", ...}; the caller's. NULL: its inputs are more than
// a file is made for.
json_t *case_file_json(const struct case_kept *k);

// Reads such a file, and loads its exercise: `exercise`, or, where that is NULL,
// the one of the name that the file has. ERR_IO, ERR_ARGUMENT and
// ERR_NOT_FOUND name the file, the exercise or the field.
enum err case_file_open(const char *path, const char *exercise,
                        struct case_file *out, struct err_info *e);
void case_file_close(struct case_file *f);

#endif

// SPDX-License-Identifier: Apache-2.0
// One case of an exercise: its arguments, made from a seed, what they must become,
// what is launched with them, and one that failed, as a file.
#ifndef GRADE_CASE_CASE_H
#define GRADE_CASE_CASE_H

#include <jansson.h>

#include "grade/exercise/exercise.h"
#include "grade/input/input.h"

struct case_arg {
  void *data; // an array in C's layout, or NULL for a number
  size_t count;
  int64_t integer;
  double number;
  int ndim; // of kind lua
  int64_t shape[EXERCISE_MAX_DIMS];
};

struct case_input {
  int index; // of the case
  struct case_changes changes;
  int arg_count;
  struct case_arg args[EXERCISE_MAX_PARAMS];
  // Of the one launch; all 1 where the exercise has several.
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  bool is_cooperative;
};

// Draws the inputs of case `i`. An `out` array is all zero bytes.
enum err exercise_make_case(struct exercise *ex, int i, const struct seed *seed,
                            struct case_input *out, struct err_info *e);
// As if the case had said these numbers.
enum err exercise_make_changed(struct exercise *ex, int i,
                               const struct case_changes *changes,
                               const struct seed *seed, struct case_input *out,
                               struct err_info *e);
// Pushes the case's table, changed likewise; the description is at 1.
void case_push(lua_State *L, int i, const struct case_changes *changes);
void case_input_copy(const struct exercise *ex, const struct case_input *from,
                     struct case_input *to);
void case_input_free(struct case_input *in);
// Puts a number into element `i` of an array, rounded to its type.
void case_store(enum dtype t, void *data, size_t i, double v);

// Turns `in` into what the kernel must make of it. `*us`, unless it is NULL, gets
// the time of the reference written in C (the least of three), NaN for one in Lua.
enum err exercise_solve(struct exercise *ex, struct case_input *in, double *us,
                        struct err_info *e);

// ---- What a case launches ----

// Its exercise's one kernel once, or what the function `launches` says, which may
// read what the kernels wrote before it goes on.

// One launch. Its arguments stand in the order of the kernel's parameters.
struct exercise_launch {
  int kernel; // of exercise.kernels
  int number; // of those of its case, from 1
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  bool is_cooperative;
  struct launch_arg {
    int array; // of exercise.params; -1: a number
    int64_t integer;
    double number;
  } args[EXERCISE_MAX_PARAMS];
};

// Whoever has the case's arrays on a device. Calls return when they are done; an
// error ends the launches and is handed back.
struct launch_device {
  void *context;
  enum err (*launch)(void *context, const struct exercise_launch *l,
                     struct err_info *e);
  // Elements `first` to `first + count` of the array.
  enum err (*read)(void *context, int array, size_t first, size_t count,
                   void *to, struct err_info *e);
  enum err (*write)(void *context, int array, size_t first, size_t count,
                    const void *from, struct err_info *e);
};

enum launch_end {
  LAUNCH_DONE,
  LAUNCH_STOPPED, // by the device: its error is returned
  LAUNCH_RAISED,  // the function raised an error
  LAUNCH_ENDLESS, // it launched exercise.most_launches and wanted more
};

// Whether the last two are the exercise's fault or the kernels', which wrote what
// the function went by, only the exercise's own solution tells; `e` has words.
enum err exercise_launch(const struct exercise *ex, const struct case_input *in,
                         const struct launch_device *d, enum launch_end *end,
                         struct err_info *e);

// ---- A failing launch in one file ----

// The code, the inputs, their seed, the order of blocks and warps. `warpshop grade
// FILE.case` judges it again, on any machine; :debug FILE.case steps it.

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

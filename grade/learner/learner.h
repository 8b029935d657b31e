// SPDX-License-Identifier: Apache-2.0
// Runs one function of a learner's Lua in a process of its own, which gets
// arguments and gives back results, and has nothing else.
#ifndef GRADE_LEARNER_LEARNER_H
#define GRADE_LEARNER_LEARNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"
#include "base/str.h"
#include "gpu/calls.h"
#include "gpu/nvrtc/nvrtc.h"

enum {
  LEARNER_MAX_VALUES = 16,
  LEARNER_MAX_DIMS = 4,
  LEARNER_TEXT = 1024,
  LEARNER_MAX_NOTES = 16,
  LEARNER_NOTE_TEXT = 640,
  LEARNER_OUTPUT = 16384
};

// How a run ended.
enum learner_end {
  LEARNER_DONE,
  LEARNER_SYNTAX,   // the file is no Lua
  LEARNER_NO_ENTRY, // it defines no such function
  LEARNER_RAISED,   // an error
  LEARNER_RESULT,   // a result is not what is asked for
  LEARNER_BUDGET,   // more work than it may do
  LEARNER_MEMORY,
  LEARNER_DIED, // the process ended
};

// A number, where `is_array` is false, or an array in C's layout.
struct learner_value {
  char name[32];
  bool is_array;
  enum dtype dtype;
  int ndim;
  int64_t shape[LEARNER_MAX_DIMS];
  int64_t integer; // of a number that is whole by its type
  double number;
  uint64_t bytes;
  void *data;
};

// Two calls of the learner's that do not go together, whatever came of it.
enum learner_note_kind {
  LEARNER_NOTE_ORDER, // nothing orders them (gpu/order.h)
  LEARNER_NOTE_KEY    // both use one random key
};

struct learner_note {
  int32_t kind, line, other_line; // the later call's, and the earlier's
  char text[LEARNER_NOTE_TEXT];
};

struct learner_request {
  const char *text, *file, *entry; // at most 63 bytes of each name
  uint64_t budget;                 // units of work: see learner_count.h
  int input_count;
  const struct learner_value *inputs;
  // What comes back, in order: names, types and shapes; their data is not used.
  int result_count;
  const struct learner_value *results;
  // Of kind host: what its kernels were compiled to, and from; else NULL.
  const struct nvrtc_program *kernels;
  const char *kernels_text, *kernels_file; // at most 63 bytes of the name
  // learner_write_library's, for as many runs as one likes, or NULL: then the process
  // reads and compiles np and jax by itself, which is most of what a run takes.
  const struct str *library;
  const char *program; // warpshop-learner; NULL: the one beside us
  int cpu_limit_s;     // of one try; 0: 60 (for tests)
  bool (*is_cancelled)(void *context);
  void *context;
};

struct learner_answer {
  enum learner_end end;
  int line;                // of the learner's file; 0: not known
  char text[LEARNER_TEXT]; // what is wrong; the learner's own words are in it
  // After LEARNER_RAISED: a mistake that the device found in a kernel, or "".
  char kind[24], code[40];
  struct gpu_calls calls; // what it asked for
  int note_count;
  struct learner_note notes[LEARNER_MAX_NOTES];
  uint64_t work;
  char *output; // what was printed, at most LEARNER_OUTPUT bytes
  size_t output_bytes;
  // After LEARNER_DONE, as asked for but for `dtype`, which is what the learner
  // gave (a number: f64 or i64), and `data`.
  struct learner_value results[LEARNER_MAX_VALUES];
};

// np, jax and what they use, compiled.
void learner_write_library(struct str *out);

// ERR_OK when a run took place, however it ended. ERR_NOT_FOUND: no program;
// ERR_CANCELLED; ERR_TIMEOUT: two processes used far more processor time than
// the counted work needs; ERR_UNSUPPORTED: this kernel cannot confine it.
enum err learner_run(const struct learner_request *q,
                     struct learner_answer *out, struct err_info *e);
void learner_answer_free(struct learner_answer *a);

#endif

// SPDX-License-Identifier: Apache-2.0
// What an exercise launches in a case: its one kernel once, or what its function
// `launches` says, which may read what the kernels wrote before it goes on.
#ifndef GRADE_EXERCISE_LAUNCH_H
#define GRADE_EXERCISE_LAUNCH_H

#include "grade/exercise.h"

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

#endif

// SPDX-License-Identifier: Apache-2.0
// Runs a program of an exercise's author in every case and looks on: what it
// prints, and what each of its lines did.
#ifndef GRADE_JUDGE_JUDGE_WATCH_H
#define GRADE_JUDGE_JUDGE_WATCH_H

#include "gpu/counters.h"
#include "grade/judge/judge.h"

struct judge_sight {
  const char *output; // printed, of hidden cases as well
  const struct gpu_line_counts *lines;
  uint32_t line_count; // 0 of kind lua
};

struct judge_watch {
  const char *text;
  bool is_debug; // from -G code
  void (*see)(void *context, int i, const struct judge_sight *s);
  void *context;
};

// Calls `see` for every case that ran to its end; what is asked of a
// submission's cost and results is not asked here. ERR_COMPILE and ERR_ARGUMENT
// speak of the text, the rest of this machine.
enum err judge_watch(struct judge *j, struct exercise *ex,
                     const struct judge_watch *q, struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// Problems that are drawn before they are asked for, by processes of our own: a
// launch that takes microseconds can need inputs that take half a second to draw.
#ifndef GRADE_JUDGE_AHEAD_H
#define GRADE_JUDGE_AHEAD_H

#include "grade/judge/judge_trial.h"

struct ahead;

struct ahead_source {
  const struct exercise *ex;
  // Draws problem `number`, in a process that has a copy of this one's memory.
  enum err (*draw)(const void *context, int number, struct problem *p,
                   struct err_info *e);
  const void *context;
};

struct ahead *ahead_open(const struct ahead_source *s);
// Problem 0, then 1, ... `p` is not the caller's, and there until the next call.
enum err ahead_take(struct ahead *a, struct problem *p, struct err_info *e);
void ahead_close(struct ahead *a);

#endif

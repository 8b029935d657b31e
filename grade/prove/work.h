// SPDX-License-Identifier: Apache-2.0
// One thing to find out about an exercise, in a process of its own, and the
// answer as text.
#ifndef GRADE_PROVE_WORK_H
#define GRADE_PROVE_WORK_H

#include <jansson.h>

#include "grade/prove/edit.h"

enum work_kind {
  WORK_STEP,  // {what, name, holds, how, skipped}
  WORK_EDIT,  // {state, how, order}: see work.c
  WORK_COVER, // {lines, branches, holes: [{line, column, text}]}
  WORK_ORDER, // {order}: null, or what depends on it
};

struct work_task {
  enum work_kind kind;
  struct exercise *ex;
  int step;                // of WORK_STEP
  const struct edit *edit; // of WORK_EDIT
};

// Orders of blocks and warps in which solutions and surviving edits run.
enum { WORK_ORDERS = 5 };

struct work; // what a process judges with

// `gpu`: a second device for the steps, or NULL. Opens at the first task.
struct work *work_new(const char *gpu, bool gpu_if_any);
void work_free(struct work *w);

// {error, exit_code} where the machine or the exercise failed; {skipped: true, how}
// of what needs hardware that is not here.
json_t *work_run(struct work *w, const struct work_task *task);

#endif

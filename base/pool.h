// SPDX-License-Identifier: Apache-2.0
// Work shared out among processes of our own, each of which has a copy of this
// one's memory as it was when the work began.
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <sys/types.h>

#include "base/err.h"

struct pool_work {
  int jobs;  // processes, 1 to 64
  int count; // of tasks, numbered from 0
  void *context;
  // In each process: `begin` once before its first task (NULL: nothing to
  // begin), `run` for each task, which returns a text to be freed, `end`.
  void *(*begin)(void *context);
  char *(*run)(void *context, void *own, int task);
  void (*end)(void *context, void *own);
  // Here, as they are done; `answer` NULL: the process died over it.
  void (*done)(void *context, int task, const char *answer);
};

// Returns when all tasks are done. ERR_IO: no process could be started.
enum err pool_run(const struct pool_work *w, struct err_info *e);

// As fork(); the child ends when this process does.
pid_t pool_child(void);

#endif

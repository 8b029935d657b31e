// SPDX-License-Identifier: Apache-2.0
// base/pool.h: every task is done once, in processes of their own, and one that
// dies takes nothing along but its own task.
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

enum { TASKS = 40, DEADLY = 7 };

struct tally {
  pid_t parent;
  bool dies;
  int done[TASKS], dead[TASKS];
};

static void *begin(void *context) {
  struct tally *t = context;
  int *count = xcalloc(1, sizeof *count);
  *count = getpid() == t->parent ? 1000 : 0; // it is not
  return count;
}

static char *run(void *context, void *own, int task) {
  struct tally *t = context;
  int *count = own;
  if (t->dies && task % DEADLY == 3)
    _exit(1);
  ++*count;
  return xasprintf("%d %d", task * task, *count);
}

static void end(void *context, void *own) {
  (void)context;
  free(own);
}

static void done(void *context, int task, const char *answer) {
  struct tally *t = context;
  int square = 0, count = 0;
  if (!answer) {
    t->dead[task]++;
    return;
  }
  assert_int_equal(sscanf(answer, "%d %d", &square, &count), 2);
  assert_int_equal(square, task * task);
  assert_in_range(count, 1, TASKS);
  t->done[task]++;
}

static void run_all(struct tally *t, int jobs) {
  struct err_info e;
  t->parent = getpid();
  struct pool_work w = {jobs, TASKS, t, begin, run, end, done};
  assert_int_equal(pool_run(&w, &e), ERR_OK);
}

static void each_task_once(void **state) {
  (void)state;
  for (int jobs = 1; jobs <= 3; jobs++) {
    struct tally t = {0};
    run_all(&t, jobs);
    for (int i = 0; i < TASKS; i++) {
      assert_int_equal(t.done[i], 1);
      assert_int_equal(t.dead[i], 0);
    }
  }
}

static void a_death_costs_one_task(void **state) {
  (void)state;
  for (int jobs = 1; jobs <= 3; jobs++) {
    struct tally t = {.dies = true};
    run_all(&t, jobs);
    for (int i = 0; i < TASKS; i++) {
      assert_int_equal(t.done[i], i % DEADLY != 3);
      assert_int_equal(t.dead[i], i % DEADLY == 3);
    }
  }
}

static void no_task(void **state) {
  (void)state;
  struct tally t = {0};
  struct err_info e;
  struct pool_work w = {2, 0, &t, begin, run, end, done};
  assert_int_equal(pool_run(&w, &e), ERR_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_task_once),
      cmocka_unit_test(a_death_costs_one_task),
      cmocka_unit_test(no_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

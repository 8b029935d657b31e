// SPDX-License-Identifier: Apache-2.0
// Problems drawn ahead by other processes: the same, in the same order, as if they
// had been drawn here.
#include "grade/judge/ahead.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "grade/case/case.h"

static struct exercise *ex;

static enum err draw(const void *context, int number, struct problem *p,
                     struct err_info *e) {
  const int *failing = context;
  struct seed seed = {{1, (uint8_t)number}};
  memset(p, 0, sizeof *p);
  p->seed = seed;
  if (number == failing[0])
    return err_set(e, ERR_ARGUMENT, "no number %d", number);
  if (number == failing[1])
    raise(SIGKILL);
  enum err err = exercise_make_case(ex, 0, &seed, &p->in, e);
  if (err)
    return err;
  case_input_copy(ex, &p->in, &p->want);
  return exercise_solve(ex, &p->want, NULL, e);
}

static void expect_same(const struct case_input *a,
                        const struct case_input *b) {
  assert_int_equal(a->arg_count, b->arg_count);
  assert_memory_equal(a->grid, b->grid, sizeof a->grid);
  for (int i = 0; i < a->arg_count; i++) {
    size_t bytes = a->args[i].count * dtype_bytes(ex->params[i].dtype);
    assert_int_equal(a->args[i].count, b->args[i].count);
    assert_int_equal(a->args[i].integer, b->args[i].integer);
    assert_int_equal(!a->args[i].data, !b->args[i].data);
    if (a->args[i].data)
      assert_memory_equal(a->args[i].data, b->args[i].data, bytes);
  }
}

static bool has_child(void) {
  siginfo_t info;
  return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

static void the_same_in_order(void **state) {
  (void)state;
  int failing[] = {-1, -1};
  struct err_info e;
  struct ahead *a = ahead_open(&(struct ahead_source){ex, draw, failing});
  for (int number = 0; number < 20; number++) {
    struct problem here, p;
    assert_int_equal(draw(failing, number, &here, &e), ERR_OK);
    assert_int_equal(ahead_take(a, &p, &e), ERR_OK);
    expect_same(&p.in, &here.in);
    expect_same(&p.want, &here.want);
    assert_memory_equal(&p.seed, &here.seed, sizeof p.seed);
    judge_problem_free(&here);
  }
  ahead_close(a);
  assert_false(has_child()); // what was drawn and not taken
}

static void failures_are_told(void **state) {
  (void)state;
  int failing[] = {2, 4};
  struct err_info e;
  struct problem p;
  struct ahead *a = ahead_open(&(struct ahead_source){ex, draw, failing});
  for (int number = 0; number < 6; number++) {
    enum err err = ahead_take(a, &p, &e);
    assert_int_equal(err, number == 2   ? ERR_ARGUMENT
                          : number == 4 ? ERR_NOMEM
                                        : ERR_OK);
    if (number == 2)
      assert_string_equal(e.text, "no number 2");
    if (number == 4)
      assert_non_null(strstr(e.text, "the process that draws inputs died"));
  }
  ahead_close(a);
  assert_false(has_child());
}

static int set_up(void **state) {
  (void)state;
  struct err_info e;
  return exercise_load("vector-add", &ex, &e);
}

static int tear_down(void **state) {
  (void)state;
  exercise_free(ex);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_in_order),
      cmocka_unit_test(failures_are_told),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: Apache-2.0
// base/process.h: processor time and state of a process that runs, waits, has
// ended or never was, and the wait for its end.
#include "base/process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/interrupt.h"

enum { MS = 1000000 };

// A child that computes for so long, and then waits.
static pid_t start_child(uint64_t cpu_ns) {
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (!pid) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "a) R (name"); // brackets in a name mislead nobody
    while (process_cpu_ns(getpid()) < cpu_ns)
      ;
    _exit(write(ready[1], "x", 1) == 1 ? pause() : 1);
  }
  char byte;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return pid;
}

static void expect_state(pid_t pid, char wanted) {
  while (process_state(pid) == 'R' && wanted != 'R') // on its way there
    usleep(1000);
  assert_int_equal(process_state(pid), wanted);
}

static void a_child(void **state) {
  (void)state;
  pid_t pid = start_child(20 * MS);
  uint64_t used = process_cpu_ns(pid);
  assert_true(used >= 20 * MS);
  expect_state(pid, 'S');
  // Until it is reaped, it is there, and so is its time.
  siginfo_t info;
  kill(pid, SIGKILL);
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_int_equal(process_state(pid), 'Z');
  assert_true(process_cpu_ns(pid) >= used);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_int_equal(process_state(pid), 0);
  assert_int_equal(process_cpu_ns(pid), 0);
}

static void this_process(void **state) {
  (void)state;
  assert_int_equal(process_state(getpid()), 'R');
  uint64_t before = process_cpu_ns(getpid());
  assert_true(before > 0);
  while (process_cpu_ns(getpid()) < before + MS)
    ;
}

static void none(void **state) {
  (void)state;
  assert_int_equal(process_cpu_ns(0), 0); // not this one's
  assert_int_equal(process_cpu_ns(-1), 0);
  assert_int_equal(process_state(0), 0);
  assert_int_equal(process_state(-1), 0);
}

static void waits_through_signals(void **state) {
  (void)state;
  expect_interrupts();
  pid_t pid = fork();
  if (!pid) {
    interrupt_parent(3);
    _exit(7);
  }
  int status = process_wait(pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 7);
  assert_int_equal(atomic_load(interrupts), 3);
  assert_int_equal(process_state(pid), 0); // reaped
  assert_int_equal(process_wait(pid), 0);  // nobody is waited for again
}

static void says_what_killed_it(void **state) {
  (void)state;
  pid_t pid = start_child(0);
  kill(pid, SIGKILL);
  int status = process_wait(pid);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_child),
      cmocka_unit_test(this_process),
      cmocka_unit_test(none),
      cmocka_unit_test(waits_through_signals),
      cmocka_unit_test(says_what_killed_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

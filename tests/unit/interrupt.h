// SPDX-License-Identifier: Apache-2.0
// Signals that come while the test's process sleeps in a system call.
#ifndef TESTS_UNIT_INTERRUPT_H
#define TESTS_UNIT_INTERRUPT_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/process.h"

static atomic_int *interrupts; // that have come, for parent and child

static void count_interrupt(int number) {
  (void)number;
  atomic_fetch_add(interrupts, 1);
}

// From here SIGUSR1 ends a system call with EINTR.
static void expect_interrupts(void) {
  struct sigaction action = {.sa_handler = count_interrupt};
  interrupts = mmap(NULL, sizeof *interrupts, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(interrupts, MAP_FAILED);
  assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
}

// In a child: interrupts its parent so many times, each time when it sleeps.
static void interrupt_parent(int times) {
  pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < times; i++) {
    while (process_state(parent) != 'S')
      usleep(100);
    kill(parent, SIGUSR1);
    while (atomic_load(interrupts) <= i)
      usleep(100);
  }
}

#endif

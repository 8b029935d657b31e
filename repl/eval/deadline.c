// SPDX-License-Identifier: Apache-2.0
// The deadline of a script: --deadline.
#include "repl/eval/eval.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "lua/bind/state/bind.h"

enum { GRACE_S = 5 };

static volatile sig_atomic_t seconds_over;

// A script that swallows the first stop is stopped again every second, and
// after a while for good.
static void on_deadline(int signal_number) {
  static const char text[] = "warpshop: the script did not stop at its "
                             "deadline\n";
  (void)signal_number;
  bind_interrupt("its deadline");
  if (++seconds_over > GRACE_S) {
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
      _exit(EXIT_MACHINE);
    _exit(EXIT_FAILED);
  }
}

void deadline_start(double seconds) {
  struct sigaction on = {.sa_handler = on_deadline};
  struct itimerval timer = {
      .it_value = {(time_t)seconds,
                   (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)},
      .it_interval = {1, 0},
  };
  if (seconds <= 0)
    return;
  sigemptyset(&on.sa_mask);
  sigaction(SIGALRM, &on, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}

bool deadline_is_over(void) {
  return seconds_over > 0;
}

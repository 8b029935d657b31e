// SPDX-License-Identifier: Apache-2.0
// repl/tui/terminal.h: what Ctrl-C stops, and when.
#include "repl/tui/terminal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "lua/bind/state/bind.h"

static void stops_what_runs(void **state) {
  (void)state;
  terminal_catch_interrupts(true);
  assert_false(bind_is_interrupted());
  raise(SIGINT);
  assert_true(bind_is_interrupted());
  terminal_catch_interrupts(false);
}

// Between Enter and the beginning of what it runs, too.
static void stops_what_is_about_to_run(void **state) {
  (void)state;
  raise(SIGINT);
  terminal_catch_interrupts(true);
  assert_true(bind_is_interrupted());
  terminal_catch_interrupts(false);
  terminal_catch_interrupts(true); // once
  assert_false(bind_is_interrupted());
  terminal_catch_interrupts(false);
}

int main(void) {
  terminal_catch_signals();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stops_what_runs),
      cmocka_unit_test(stops_what_is_about_to_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

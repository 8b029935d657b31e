// SPDX-License-Identifier: Apache-2.0
// base/progress.h: what is said of a long work, when, and by whom.
#include "base/progress.h"
#include "base/clock.h"
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_text(struct progress p, double after_s, const char *text) {
  struct str out = STR_INIT;
  progress_text(&p, p.since_s + after_s, &out);
  assert_string_equal(out.data, text);
  str_free(&out);
}

static void texts(void **state) {
  (void)state;
  expect_text((struct progress){.what = "compiling"}, 1.24,
              "compiling · 1.2 s");
  expect_text(
      (struct progress){.what = "", .count = 40, .done = 10, .at_hand = "a.cu"},
      5, "10 of 40 · 2.0 a second · about 15 s  a.cu");
  expect_text((struct progress){.what = "judging", .count = 8, .unit = "cases"},
              3, "judging: 0 of 8 cases");
  expect_text(
      (struct progress){
          .what = "running", .count = 4096, .done = 1024, .unit = "blocks"},
      2, "running: 1024 of 4096 blocks · 512 a second · about 6 s");
  expect_text((struct progress){.what = "copying",
                                .count = 2147483648.0,
                                .done = 536870912.0,
                                .is_bytes = true},
              1, "copying 512 MB of 2 GB · 512 MB a second · about 3 s");
  expect_text((struct progress){.what = "", .count = 1000, .done = 1}, 0.5,
              "1 of 1000 · 2.0 a second · about 8 min 20 s");
}

static struct {
  int count;
  char last[200];
} heard;

static void hear(void *context, int level, const char *text) {
  (void)context;
  assert_int_equal(level, LOG_PROGRESS);
  heard.count++;
  snprintf(heard.last, sizeof heard.last, "%s", text);
}

static int set_up(void **state) {
  (void)state;
  memset(&heard, 0, sizeof heard);
  log_set_hook(hear, NULL);
  progress_allow();
  return 0;
}

// A work that began long ago.
static void begin_long_ago(struct progress *p, const char *what, double count) {
  progress_begin(p, what, count);
  p->since_s = clock_s() - 10;
}

static void short_works_say_nothing(void **state) {
  (void)state;
  struct progress p;
  progress_begin(&p, "running", 0);
  progress_look();
  progress_end(&p);
  assert_int_equal(heard.count, 0);
}

static void long_ones_do_and_are_wiped(void **state) {
  (void)state;
  struct progress p;
  begin_long_ago(&p, "judging", 4);
  progress_step(&p, 1, "n=5");
  assert_int_equal(heard.count, 1);
  assert_non_null(strstr(heard.last, "judging: 1 of 4"));
  progress_step(&p, 2, "n=6"); // a moment later
  assert_int_equal(heard.count, 1);
  progress_hide();
  assert_string_equal(heard.last, "");
  progress_hide();
  assert_int_equal(heard.count, 2);
  progress_look(); // it comes again
  assert_non_null(strstr(heard.last, "judging: 2 of 4"));
  progress_end(&p);
  assert_string_equal(heard.last, "");
  progress_look(); // nothing is at hand
  assert_string_equal(heard.last, "");
}

static void the_outermost_is_shown(void **state) {
  (void)state;
  struct progress judging, running;
  begin_long_ago(&judging, "judging", 4);
  progress_begin(&running, "running", 0);
  progress_look();
  assert_non_null(strstr(heard.last, "judging: 0 of 4"));
  progress_end(&running);
  assert_non_null(strstr(heard.last, "judging"));
  progress_end(&judging);
  assert_string_equal(heard.last, "");
}

// They would write over each other.
static void children_say_nothing(void **state) {
  (void)state;
  struct progress p;
  begin_long_ago(&p, "judging", 4);
  pid_t child = fork();
  if (!child) {
    progress_step(&p, 2, NULL);
    _exit(heard.count);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  progress_end(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts),
      cmocka_unit_test_setup(short_works_say_nothing, set_up),
      cmocka_unit_test_setup(long_ones_do_and_are_wiped, set_up),
      cmocka_unit_test_setup(the_outermost_is_shown, set_up),
      cmocka_unit_test_setup(children_say_nothing, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

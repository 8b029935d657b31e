// SPDX-License-Identifier: Apache-2.0
// repl/progress/progress.h: what a kill leaves, how much is kept, differences.
#include "repl/progress/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

static char folder[] = "/tmp/warpshop-attempts-XXXXXX";

static int empty_folder(void **state) {
  char *command = xasprintf("rm -rf %s/*", folder);
  (void)state;
  int status = system(command);
  free(command);
  return status;
}

static void keep(int64_t ms, const char *verdict, const char *text) {
  struct attempt a = {.time_ms = ms, .text = (char *)text};
  struct err_info e;
  snprintf(a.verdict, sizeof a.verdict, "%s", verdict);
  snprintf(a.score, sizeof a.score, "1/10");
  snprintf(a.code, sizeof a.code, "race");
  assert_int_equal(attempts_keep(folder, "sum", &a, &e), ERR_OK);
}

static void what_was_kept_is_read(void **state) {
  struct attempts all;
  (void)state;
  keep(2000, "pass", "line\ttab\nlast");
  keep(1000, "fail", "");
  attempts_read(folder, "sum", &all);
  assert_int_equal(all.count, 2);
  assert_string_equal(all.list[0].verdict, "fail"); // by time
  assert_string_equal(all.list[1].text, "line\ttab\nlast");
  assert_string_equal(all.list[1].score, "1/10");
  assert_string_equal(all.list[1].code, "race");
  assert_true(all.list[1].time_ms == 2000);
  attempts_free(&all);
  attempts_read(folder, "other", &all);
  assert_int_equal(all.count, 0);
  attempts_free(&all);
}

// Two sessions within the same millisecond.
static void same_time_keeps_both(void **state) {
  struct attempts all;
  (void)state;
  keep(3000, "fail", "one");
  keep(3000, "fail", "two");
  attempts_read(folder, "sum", &all);
  assert_int_equal(all.count, 2);
  assert_string_equal(all.list[1].text, "two");
  attempts_free(&all);
}

// A kill or a full disk at any byte, or a byte that is another one.
static void torn_files_are_no_attempts(void **state) {
  char *path = xasprintf("%s/attempts/sum/0000000002000.attempt", folder);
  char *data;
  size_t bytes;
  struct attempts all;
  (void)state;
  keep(1000, "fail", "whole");
  keep(2000, "pass", "a text that is torn");
  assert_int_equal(file_read(path, 4096, &data, &bytes, NULL), ERR_OK);
  for (size_t n = 0; n <= bytes; n++) {
    if (n == bytes)
      data[bytes - 1] ^= 1;
    assert_int_equal(file_replace(path, data, n, NULL), ERR_OK);
    attempts_read(folder, "sum", &all);
    assert_int_equal(all.count, 1);
    assert_string_equal(all.list[0].text, "whole");
    attempts_free(&all);
  }
  free(data);
  free(path);
}

static void old_ones_make_room(void **state) {
  struct attempts all;
  (void)state;
  for (int i = 1; i <= ATTEMPTS_MAX + 30; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d", i);
    keep(i, i == 3 || i == 7 ? "pass" : "fail", text);
  }
  attempts_read(folder, "sum", &all);
  assert_int_equal(all.count, ATTEMPTS_MAX);
  // The newest that passed stays, however old it is.
  assert_string_equal(all.list[0].text, "7");
  assert_string_equal(all.list[1].text, "32");
  assert_string_equal(all.list[ATTEMPTS_MAX - 1].text, "80");
  attempts_free(&all);
  char *passed = attempts_passed(folder, "sum");
  assert_string_equal(passed, "7");
  free(passed);
}

static void bytes_are_bounded(void **state) {
  struct attempts all;
  size_t n = ATTEMPTS_MAX_BYTES / 3;
  char *text = xmalloc(n + 1);
  (void)state;
  memset(text, 'x', n);
  text[n] = 0;
  for (int i = 1; i <= 9; i++)
    keep(i, "fail", text);
  attempts_read(folder, "sum", &all);
  assert_int_equal(all.count, 2);
  assert_true(all.list[1].time_ms == 9);
  attempts_free(&all);
  free(text);
}

static void no_folder_is_an_error(void **state) {
  struct attempt a = {.verdict = "fail", .text = (char *)""};
  struct err_info e;
  (void)state;
  assert_int_equal(attempts_keep("/proc/none", "sum", &a, &e), ERR_IO);
  assert_non_null(strstr(e.text, "/proc/none"));
}

static void differences_name_both(void **state) {
  struct str out = STR_INIT;
  (void)state;
  assert_true(attempts_add_difference("attempt 1", "a\nb\nc", "attempt 2",
                                      "a\nB\nc\n", &out));
  assert_string_equal(out.data, "--- attempt 1\n+++ attempt 2\n@@ -1,3 +1,3 "
                                "@@\n a\n-b\n+B\n c\n");
  str_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(what_was_kept_is_read, empty_folder),
      cmocka_unit_test_setup(same_time_keeps_both, empty_folder),
      cmocka_unit_test_setup(torn_files_are_no_attempts, empty_folder),
      cmocka_unit_test_setup(old_ones_make_room, empty_folder),
      cmocka_unit_test_setup(bytes_are_bounded, empty_folder),
      cmocka_unit_test_setup(no_folder_is_an_error, empty_folder),
      cmocka_unit_test(differences_name_both),
  };
  if (!mkdtemp(folder))
    return 2;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  empty_folder(NULL);
  rmdir(folder);
  return failed;
}

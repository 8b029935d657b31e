// SPDX-License-Identifier: Apache-2.0
// grade/batch: whose folder a spool may be, and which of a journal's verdicts counts.
#include "grade/batch/batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "grade/batch/journal.h"
#include "grade/batch/spool.h"

#include "tests/unit/scratch.h"

static char *path_of(const char *name) {
  return xasprintf("%s/%s", folder, name);
}

// ---- Spools ----

// What is said of the folder of that name; "": it is one.
static const char *said_of(const char *name) {
  static struct err_info e;
  struct spool *s;
  char *path = path_of(name);
  e.text[0] = 0;
  enum err err = spool_open(path, false, &s, &e);
  assert_true(err == ERR_OK || err == ERR_ARGUMENT);
  assert_int_equal(s != NULL, err == ERR_OK);
  spool_close(s, false);
  free(path);
  return err ? e.text : "";
}

static void a_spool_is_its_owners_alone(void **state) {
  (void)state;
  char *path = path_of("spool"), *link = path_of("link");
  assert_string_equal(said_of("spool"), "");
  assert_string_equal(said_of("spool"), "");
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  static const mode_t open[] = {0750, 0720, 0710, 0704, 0702, 0701};
  for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
    assert_int_equal(chmod(path, open[i]), 0);
    assert_non_null(strstr(said_of("spool"), "owner's alone: chmod 700"));
  }
  assert_int_equal(chmod(path, 0700), 0);
  assert_string_equal(said_of("spool"), "");
  assert_int_equal(symlink(path, link), 0);
  assert_non_null(strstr(said_of("link"), "this is no folder"));
  if (!geteuid()) { // who else may give a folder away?
    assert_int_equal(chown(path, 1, 1), 0);
    assert_non_null(strstr(said_of("spool"), "owner's alone"));
  }
  free(link);
  free(path);
}

static void other_things_are_left_alone(void **state) {
  (void)state;
  char *path = path_of("notes"), *file = path_of("notes/mine");
  struct err_info e;
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(file_write(file, "x", 1, 0600, &e), ERR_OK);
  assert_non_null(strstr(said_of("notes"), "there are other things"));
  assert_int_equal(access(file, F_OK), 0);
  free(file);
  free(path);
}

// One at a time judges with it.
static void a_spool_is_in_use_once(void **state) {
  (void)state;
  struct spool *s;
  struct err_info e;
  char *path = path_of("busy");
  assert_int_equal(spool_open(path, false, &s, &e), ERR_OK);
  assert_non_null(strstr(said_of("busy"), "another batch"));
  spool_close(s, false);
  assert_string_equal(said_of("busy"), "");
  free(path);
}

// ---- Journals ----

static void keep(const char *path, const char *key, int points) {
  struct verdict_journal *j;
  struct err_info e;
  json_t *verdict = json_pack("{s:i}", "points", points);
  assert_int_equal(verdict_journal_open(path, true, &j, &e), ERR_OK);
  assert_int_equal(verdict_journal_add(j, key, verdict, &e), ERR_OK);
  verdict_journal_close(j);
  json_decref(verdict);
}

static int points_of(const char *path, const char *key, bool wants_old) {
  struct verdict_journal *j;
  struct err_info e;
  assert_int_equal(verdict_journal_open(path, wants_old, &j, &e), ERR_OK);
  json_t *v = verdict_journal_find(j, key);
  int points = v ? (int)json_integer_value(json_object_get(v, "points")) : -1;
  verdict_journal_close(j);
  return points;
}

// The last one of a key, where old ones are asked for at all.
static void the_last_verdict_counts(void **state) {
  (void)state;
  char *path = path_of("verdicts");
  keep(path, "a", 1);
  keep(path, "b", 2);
  keep(path, "a", 3);
  assert_int_equal(points_of(path, "a", true), 3);
  assert_int_equal(points_of(path, "b", true), 2);
  assert_int_equal(points_of(path, "c", true), -1);
  assert_int_equal(points_of(path, "a", false), -1);
  free(path);
}

static void what_is_no_journal_is_left_alone(void **state) {
  (void)state;
  struct verdict_journal *j;
  struct err_info e;
  char *path = path_of("essay");
  assert_int_equal(file_write(path, "words\n", 6, 0600, &e), ERR_OK);
  assert_int_equal(verdict_journal_open(path, true, &j, &e), ERR_ARGUMENT);
  assert_int_equal(verdict_journal_open(path, false, &j, &e), ERR_ARGUMENT);
  free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spool_is_its_owners_alone),
      cmocka_unit_test(other_things_are_left_alone),
      cmocka_unit_test(a_spool_is_in_use_once),
      cmocka_unit_test(the_last_verdict_counts),
      cmocka_unit_test(what_is_no_journal_is_left_alone),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

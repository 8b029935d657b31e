// SPDX-License-Identifier: Apache-2.0
// repl/progress/progress.h and repl/prompt/history.h: what a kill, a full disk or
// a second process may leave behind.
#include "repl/progress/progress.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/record.h"
#include "base/str.h"
#include "repl/lesson/lesson.h"
#include "repl/prompt/history.h"

static char folder[] = "/tmp/warpshop-journal-XXXXXX";

static void empty_folder(void) {
  char *command = xasprintf("rm -rf %s/*", folder);
  assert_int_equal(system(command), 0);
  free(command);
}

static struct journal *open_journal(void) {
  struct journal *j;
  struct err_info e;
  assert_int_equal(journal_open(folder, &j, &e), ERR_OK);
  return j;
}

static void add(struct journal *j, const char *key, const char *value) {
  struct err_info e;
  assert_int_equal(journal_add(j, "page", key, value, &e), ERR_OK);
}

static char *only_file(void) {
  DIR *d = opendir(folder);
  char *path = NULL;
  for (struct dirent *de; (de = readdir(d));)
    if (str_ends(de->d_name, ".log"))
      path = xasprintf("%s/%s", folder, de->d_name);
  closedir(d);
  return path;
}

static void count_record(void *context, const struct journal_record *r) {
  int *next = context;
  assert_int_equal(atoi(r->value), ++*next); // each whole, in order
  assert_string_equal(r->key, "01.md");
}

static void count_any(void *context, const struct journal_record *r) {
  (void)r;
  ++*(int *)context;
}

static int count(void) {
  struct journal *j = open_journal();
  int n = 0;
  assert_int_equal(journal_read(j, count_record, &n, NULL), ERR_OK);
  journal_close(j);
  return n;
}

static void cut_at_every_byte(void **state) {
  struct journal *j = open_journal();
  (void)state;
  for (int i = 1; i <= 5; i++) {
    char value[8];
    snprintf(value, sizeof value, "%d", i);
    add(j, "01.md", value);
  }
  journal_close(j);
  char *path = only_file(), *data;
  size_t bytes;
  assert_int_equal(file_read(path, 1 << 20, &data, &bytes, NULL), ERR_OK);
  assert_int_equal(count(), 5);
  for (size_t cut = 0; cut < bytes; cut++) {
    int whole = 0;
    for (size_t i = 0; i < cut; i++)
      whole += data[i] == '\n';
    assert_int_equal(truncate(path, (off_t)cut), 0);
    assert_int_equal(count(), whole);
    assert_int_equal(file_replace(path, data, bytes, NULL), ERR_OK);
  }
  // A wrong byte anywhere costs the record that it is in, and no other.
  for (size_t at = 0; at < bytes; at++) {
    char was = data[at];
    int n = 0;
    data[at] = (char)(was ^ 4);
    assert_int_equal(file_replace(path, data, bytes, NULL), ERR_OK);
    data[at] = was;
    struct journal *reader = open_journal();
    journal_read(reader, count_any, &n, NULL);
    journal_close(reader);
    assert_in_range(n, 3, 4);
  }
  free(data);
  free(path);
  empty_folder();
}

static void sessions_merge(void **state) {
  struct journal *a = open_journal();
  char last[64];
  (void)state;
  add(a, "01.md", "1");
  usleep(3000); // another file's name, a later time
  struct journal *b = open_journal();
  add(b, "02.md", "4");
  usleep(3000);
  add(a, "01.md", "2");
  assert_int_equal(journal_page(b, "01.md"), 2);
  assert_int_equal(journal_page(a, "02.md"), 4);
  assert_int_equal(journal_page(a, "03.md"), 0);
  journal_last_lesson(b, last, sizeof last);
  assert_string_equal(last, "01.md");
  journal_close(a);
  journal_close(b);
  empty_folder();
}

// A file with records of these times, which are their values as well, or `ties` of each
// time, whose values count on.
static void write_at(const char *name, const int *times, int count, int ties) {
  struct str lines = STR_INIT;
  struct err_info e;
  char *path = xasprintf("%s/%s", folder, name);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < ties; k++) {
      char *payload = xasprintf("%d\tpage\t01.md\t%d", times[i],
                                (times[i] - 1) * ties + k + 1);
      record_make(&lines, payload, strlen(payload));
      free(payload);
    }
  assert_int_equal(file_replace(path, lines.data, lines.len, &e), ERR_OK);
  str_free(&lines);
  free(path);
}

// By their times, whichever file is read first, and those of one time as they stand.
static void records_come_in_order(void **state) {
  (void)state;
  static const int outer[] = {1, 4}, inner[] = {2, 3};
  for (int ties = 1; ties <= 5; ties += 4)
    for (int turned = 0; turned < 2; turned++) {
      write_at("a.log", turned ? inner : outer, 2, ties);
      write_at("b.log", turned ? outer : inner, 2, ties);
      assert_int_equal(count(), 4 * ties);
      empty_folder();
    }
}

static void fields_stay_apart(void **state) {
  struct journal *j = open_journal();
  (void)state;
  add(j, "a\tb\nc", "7");
  assert_int_equal(journal_page(j, "a b c"), 7);
  journal_close(j);
  empty_folder();
}

// A disk that fills up in the middle of a record: said once, the rest goes on,
// and all records before it can be read.
static void full_disk(void **state) {
  struct journal *j = open_journal();
  struct rlimit before, small = {20, RLIM_INFINITY};
  struct err_info e;
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  small.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  assert_int_equal(journal_add(j, "page", "01.md", "1", &e), ERR_IO);
  assert_non_null(strstr(e.text, folder));
  assert_int_equal(journal_add(j, "page", "01.md", "1", &e), ERR_OK);
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(count(), 0);
  journal_close(j);
  empty_folder();
}

static char *entries[4 * HISTORY_MAX];
static int entry_count;

static void take_entry(const char *entry) {
  entries[entry_count++] = xstrdup(entry);
}

static void forget_entries(void) {
  while (entry_count)
    free(entries[--entry_count]);
}

static void history_keeps_lines(void **state) {
  struct history h, other;
  struct err_info e;
  (void)state;
  setenv("XDG_STATE_HOME", folder, 1);
  assert_int_equal(history_open(&h, take_entry, &e), ERR_OK);
  assert_int_equal(entry_count, 0);
  assert_int_equal(history_open(&other, take_entry, &e), ERR_OK);
  assert_int_equal(history_append(&h, "a\nb \\n", &e), ERR_OK);
  assert_int_equal(history_append(&other, "second", &e), ERR_OK);
  history_close(&h);
  history_close(&other);
  assert_int_equal(history_open(&h, take_entry, &e), ERR_OK);
  assert_int_equal(entry_count, 2);
  assert_string_equal(entries[0], "a\nb \\n");
  assert_string_equal(entries[1], "second");
  forget_entries();
  for (int i = 0; i < 2 * HISTORY_MAX + 5; i++) {
    char text[16];
    snprintf(text, sizeof text, "x = %d", i);
    assert_int_equal(history_append(&h, text, &e), ERR_OK);
  }
  history_close(&h);
  for (int round = 0; round < 2; round++) { // the first one cuts the file
    assert_int_equal(history_open(&h, take_entry, &e), ERR_OK);
    assert_int_equal(entry_count, HISTORY_MAX);
    assert_string_equal(entries[HISTORY_MAX - 1], "x = 4004");
    forget_entries();
    history_close(&h);
  }
  char *data, *path = xasprintf("%s/warpshop/history", folder);
  size_t bytes;
  assert_int_equal(file_read(path, 1 << 20, &data, &bytes, &e), ERR_OK);
  assert_true(bytes < 12 * (HISTORY_MAX + 1));
  free(data);
  free(path);
  empty_folder();
}

static void history_without_home(void **state) {
  struct history h;
  struct err_info e;
  (void)state;
  setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
  assert_int_equal(history_open(&h, take_entry, &e), ERR_OK);
  assert_int_equal(history_append(&h, "x", &e), ERR_IO);
  assert_int_equal(history_append(&h, "x", &e), ERR_OK); // said once
  history_close(&h);
}

static void tell(struct journal *j, const char *kind, const char *key,
                 const char *value) {
  struct err_info e;
  assert_int_equal(journal_add(j, kind, key, value, &e), ERR_OK);
}

static void expect_progress(const struct journal *j, const char *name,
                            const char *wanted) {
  struct exercise_progress p = progress_of(j, name);
  struct str text = STR_INIT;
  progress_add_text(&p, &text);
  assert_string_equal(text.data, wanted);
  str_free(&text);
}

// A lesson is done when its last page was seen and its exercises have passed.
static void lessons_end_with_their_exercises(void **state) {
  (void)state;
  char name[] = "a.md", first[] = "vector-add", second[] = "saxpy";
  struct lesson_item items[4] = {{.kind = ITEM_EXERCISE, .text = first},
                                 {.kind = ITEM_PROSE},
                                 {.kind = ITEM_EXERCISE, .text = second}};
  struct lesson_page plain[4] = {0};
  struct lesson l = {.name = name,
                     .page_count = 3,
                     .item_count = 3,
                     .pages = plain,
                     .items = items};
  struct journal *j = open_journal();
  tell(j, "check", first, "fail");
  tell(j, "hint", first, "1");
  expect_progress(j, first, "1 try, 1 hint");
  tell(j, "check", first, "pass");
  tell(j, "check", first, "fail"); // what comes later undoes nothing
  expect_progress(j, first, "done in 2 tries, 1 hint");
  tell(j, "check", second, "fail");
  tell(j, "page", name, "3");
  assert_false(lesson_is_done(j, &l));
  tell(j, "solution", second, "shown");
  expect_progress(j, second, "1 try, solution seen");
  assert_false(lesson_is_done(j, &l));
  tell(j, "check", second, "pass");
  assert_true(lesson_is_done(j, &l));
  l.page_count = 4; // and there is a page that nobody has seen
  assert_false(lesson_is_done(j, &l));
  // One of Further, with what it asks for, need not be.
  struct lesson_page pages[4] = {[3] = {.first = 3, .is_further = true}};
  char third[] = "dot";
  items[3] = (struct lesson_item){.kind = ITEM_EXERCISE, .text = third};
  l.pages = pages, l.item_count = 4;
  assert_true(lesson_exercise_is_further(&l, 2) &&
              !lesson_exercise_is_further(&l, 1));
  assert_true(lesson_is_done(j, &l));
  journal_close(j);
  empty_folder();
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_at_every_byte),
      cmocka_unit_test(sessions_merge),
      cmocka_unit_test(records_come_in_order),
      cmocka_unit_test(fields_stay_apart),
      cmocka_unit_test(lessons_end_with_their_exercises),
      cmocka_unit_test(full_disk),
      cmocka_unit_test(history_keeps_lines),
      cmocka_unit_test(history_without_home),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

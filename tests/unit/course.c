// SPDX-License-Identifier: Apache-2.0
// grade/course/course.h: the file of a course, its indexes, which course is in use and
// which there are; what is kept apart by it.
#include "grade/course/course.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "grade/exercise/exercise.h"
#include "repl/progress/progress.h"
#include "tests/unit/scratch.h"

static char *under(const char *relative) {
  return xasprintf("%s/%s", folder, relative);
}

// Writes a file below the scratch folder, with the folders that it needs.
static void write_file(const char *relative, const char *text) {
  struct err_info e;
  char *path = under(relative), *parent = xstrdup(path);
  *strrchr(parent, '/') = 0;
  assert_int_equal(file_make_folder(parent, &e), ERR_OK);
  assert_int_equal(file_replace(path, text, strlen(text), &e), ERR_OK);
  free(parent);
  free(path);
}

static struct course *load(const char *relative) {
  struct course *c;
  struct err_info e;
  char *path = under(relative);
  if (course_load(path, &c, &e))
    fail_msg("%s", e.text);
  free(path);
  return c;
}

static void the_file(void **state) {
  (void)state;
  write_file("a/course", "# of mine\nname: a-1\ntitle: One: two\n\n"
                         "version: 2.1\nsolutions: locked\n");
  struct course *c = load("a");
  assert_string_equal(c->name, "a-1");
  assert_string_equal(c->title, "One: two");
  assert_string_equal(c->version, "2.1");
  assert_true(c->locks_solutions);
  course_free(c);
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"name: a\ntitel: T\nversion: 1\n",
       "course:2: \"titel:\" is no line of a "
       "course; did you mean title:"},
      {"name: a\ncolour: T\n", "course:2: \"colour:\" is no line"},
      {"name: a\nname: b\n", "course:2: name: is there twice"},
      {"name: Mine\n", "course:1: a course is named with small letters"},
      {"name: ../a\n", "course:1: a course is named with small letters"},
      {"name: a\ntitle:\n", "course:2: title: says nothing"},
      {"name: a\nwords\n", "course:2: a line of a course is"},
      {"solutions: hidden\n", "course:1: solutions: is open or locked"},
      {"name: a\ntitle: T\n", "there is no line version:"},
      {"", "there is no line name:"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct err_info e = {0};
    char *path = under("a");
    write_file("a/course", rows[i].text);
    assert_int_equal(course_load(path, &c, &e), ERR_ARGUMENT);
    assert_null(c);
    if (!strstr(e.text, rows[i].part))
      fail_msg("row %zu: %s", i, e.text);
    free(path);
  }
}

// ---- Indexes ----

static void collect(void *context, const char *text) {
  str_addf(context, "%s\n", text);
}

static void expect_said(const char *part, int wrong, const char *const *said) {
  struct course *c = load("b");
  struct str all = STR_INIT;
  assert_int_equal(course_check(c, part, collect, &all), wrong);
  for (; *said; said++)
    if (!strstr(all.data, *said))
      fail_msg("\"%s\" is not in %s", *said, all.data);
  str_free(&all);
  course_free(c);
}

static void parts(void **state) {
  struct course *c;
  struct course_part *list;
  struct err_info e;
  int count;
  (void)state;
  write_file("p/course", "name: p\ntitle: P\nversion: 1\n");
  for (int i = 1; i <= 4; i++) {
    char name[32];
    snprintf(name, sizeof name, "p/lessons/0%d-l.md", i);
    write_file(name, "");
  }
  write_file("p/lessons/index", "# In two parts\n01-l.md\n# I First things\n"
                                "02-l.md\n# 05-later.md\n03-l.md\n"
                                "#II  Last\n04-l.md\n");
  char *path = under("p");
  assert_int_equal(course_load(path, &c, &e), ERR_OK);
  assert_int_equal(course_parts(c, &list, &count, &e), ERR_OK);
  assert_int_equal(count, 2);
  assert_string_equal(list[0].numeral, "I");
  assert_string_equal(list[0].title, "First things");
  assert_int_equal(list[0].first, 1);
  assert_int_equal(list[0].count, 2);
  assert_string_equal(list[1].title, "Last");
  assert_int_equal(list[1].first, 3);
  assert_int_equal(list[1].count, 1);
  course_parts_free(list, count);
  write_file("p/lessons/index",
             "# I A\n01-l.md\n02-l.md\n# III C\n03-l.md\n04-l.md\n");
  struct str all = STR_INIT;
  assert_int_equal(course_check(c, "lessons", collect, &all), 1);
  assert_non_null(strstr(all.data, "lessons/index:4: the part \"III C\" comes "
                                   "where II does"));
  str_free(&all);
  course_free(c);
  free(path);
}

static void indexes(void **state) {
  (void)state;
  const char *const none[] = {NULL};
  write_file("b/course", "name: b\ntitle: B\nversion: 1\n");
  write_file("b/lessons/01-one.md", "");
  write_file("b/lessons/02-two.md", "");
  write_file("b/lessons/README.md", "");
  write_file("b/lessons/picture.png", "");
  write_file("b/lessons/index", "# two is to come\n# 02-two.md\n01-one.md\n");
  expect_said("lessons", 0, none);
  expect_said("exercises", 0, none); // it has none
  write_file("b/lessons/01-other.md", "");
  write_file("b/lessons/index", "01-one.md\n01-one.md\n\n01-other.md\n"
                                "02-tow.md\n");
  expect_said("lessons", 4,
              (const char *const[]){
                  "lessons/index:2: 01-one.md is listed twice",
                  "lessons/index:4: 01-one.md and 01-other.md have the same",
                  "lessons/index:5: there is no lesson \"02-tow.md\" in the "
                  "folder; did you mean 02-two.md?",
                  "lessons/index: 02-two.md is in the folder and not listed",
                  NULL});
  write_file("b/exercises/sum/exercise.lua", "");
  write_file("b/exercises/scale/exercise.lua", "");
  write_file("b/exercises/notes/text", "");
  write_file("b/exercises/index", "sun\nscale\n");
  expect_said("exercises", 2,
              (const char *const[]){
                  "exercises/index:1: there is no exercise \"sun\" in the "
                  "folder; did you mean sum?",
                  "exercises/index: sum is in the folder and not listed",
                  NULL});
}

static void own_indexes_are_right(void **state) {
  (void)state;
  struct course *c;
  struct err_info e;
  struct str all = STR_INIT;
  assert_int_equal(course_own(&c, &e), ERR_OK);
  assert_string_equal(c->name, "warpshop");
  int wrong = course_check(c, "lessons", collect, &all) +
              course_check(c, "exercises", collect, &all);
  if (wrong)
    fail_msg("%s", all.data);
  str_free(&all);
  course_free(c);
}

// ---- In use ----

// A course with an exercise of its own, and one that warpshop has, too.
static void write_course(const char *name, const char *more) {
  static const char exercise[] =
      "return {title = 't', minutes = 5, kernel = 'k', signature = "
      "{{'out', 'float *', 'y'}}, reference = function() end, tolerance = "
      "{ulp = 0, reason = 'r'}, make = function(case) return {y = 1}, {1, 1} "
      "end, cases = {{name = 'a'}}, hints = {'h', 'i'}, mutants = "
      "{{name = 'm', replace = {'a', 'x'}, explain = 'e'},"
      " {name = 'n', replace = {'b', 'x'}, explain = 'e'},"
      " {name = 'o', replace = {'c', 'x'}, explain = 'e'},"
      " {name = 'p', replace = {'d', 'x'}, explain = 'e'}}}\n";
  const char *parts[][2] = {
      {"course", "name: %s\ntitle: T\nversion: 1\n%s"},
      {"lessons/index", "# none\n"},
      {"exercises/index", "own\nvector-add\n"},
      {"exercises/own/exercise.lua", exercise},
      {"exercises/vector-add/exercise.lua", exercise},
      {"exercises/own/solution.cu",
       "// BEGIN SOLUTION\na b c d\n// END SOLUTION\n"},
      {"exercises/vector-add/solution.cu",
       "// BEGIN SOLUTION\na b c d\n// END SOLUTION\n"},
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char *path = xasprintf("%s/%s", name, parts[i][0]);
    char *head = xasprintf("name: %s\ntitle: T\nversion: 1\n%s", name, more);
    write_file(path, i ? parts[i][1] : head);
    free(head);
    free(path);
  }
}

// Whose exercise of that name it is; "" for nobody's.
static char *owner_of(const char *name, bool *is_locked) {
  struct exercise *ex;
  struct err_info e;
  if (exercise_load(name, &ex, &e))
    return xstrdup("");
  char *rest = strstr(ex->folder, "/exercises/");
  assert_non_null(rest);
  *rest = 0;
  char *slash = strrchr(ex->folder, '/');
  char *owner =
      xstrdup(str_starts(ex->folder, folder) ? slash + 1 : "warpshop");
  *is_locked = ex->is_locked;
  exercise_free(ex);
  return owner;
}

static void expect_owner(const char *name, const char *wanted, bool locked) {
  bool is_locked = false;
  char *owner = owner_of(name, &is_locked);
  if (strcmp(owner, wanted) || is_locked != locked)
    fail_msg("%s is %s's%s, not %s's", name, owner, is_locked ? ", locked" : "",
             wanted);
  free(owner);
}

static void in_use(void **state) {
  (void)state;
  struct err_info e = {0};
  write_course("mine", "solutions: locked\n");
  write_course("shelf/yours", "");
  write_file("shelf/yours/course", "name: yours\ntitle: T\nversion: 1\n");
  expect_owner("own", "", false);
  expect_owner("vector-add", "warpshop", false);
  char *mine = under("mine"), *shelf = under("shelf");
  char *places = xasprintf(":%s:%s/nowhere", shelf, shelf);
  setenv("WARPSHOP_COURSES", places, 1);
  expect_owner("own", "yours", false);
  expect_owner("vector-add", "warpshop", false); // warpshop's own comes first
  assert_int_equal(course_use(mine, &e), ERR_OK);
  expect_owner("own", "mine", true);
  expect_owner("vector-add", "mine", true);
  expect_owner("saxpy", "warpshop", false);
  // By its name, too; a place without a course is said.
  assert_int_equal(course_use("yours", &e), ERR_OK);
  expect_owner("vector-add", "yours", false);
  struct course_list list;
  struct str notes = STR_INIT;
  course_list_load(&list, &notes);
  assert_int_equal(list.count, 2);
  assert_string_equal(list.at[0]->name, "yours");
  assert_string_equal(list.at[1]->name, "warpshop");
  assert_non_null(strstr(notes.data, "/nowhere"));
  course_list_free(&list);
  str_free(&notes);
  assert_int_equal(course_use("yuors", &e), ERR_NOT_FOUND);
  assert_non_null(strstr(e.text, "did you mean yours"));
  assert_int_equal(course_use(shelf, &e), ERR_NOT_FOUND);
  assert_non_null(strstr(e.text, "is no course"));
  unsetenv("WARPSHOP_COURSES");
  unsetenv("WARPSHOP_COURSE");
  free(places);
  free(shelf);
  free(mine);
}

// ---- Kept apart ----

static void add(const char *page) {
  struct journal *j;
  struct err_info e;
  assert_int_equal(journal_open(NULL, &j, &e), ERR_OK);
  assert_int_equal(journal_add(j, "page", "01-a.md", page, &e), ERR_OK);
  journal_close(j);
}

static int page_of(void) {
  struct journal *j;
  struct err_info e;
  assert_int_equal(journal_open(NULL, &j, &e), ERR_OK);
  int page = journal_page(j, "01-a.md");
  journal_close(j);
  return page;
}

// Equal names of lessons in two courses are two lessons.
static void progress(void **state) {
  (void)state;
  struct err_info e;
  write_course("mine", "");
  write_course("other", "");
  char *mine = under("mine"), *other = under("other"), *data = under("data");
  setenv("XDG_DATA_HOME", data, 1);
  add("2");
  assert_int_equal(course_use(mine, &e), ERR_OK);
  assert_int_equal(page_of(), 0);
  add("3");
  assert_int_equal(course_use(other, &e), ERR_OK);
  assert_int_equal(page_of(), 0);
  add("4");
  assert_int_equal(course_use(mine, &e), ERR_OK);
  assert_int_equal(page_of(), 3);
  unsetenv("WARPSHOP_COURSE");
  assert_int_equal(page_of(), 2);
  // A course that was moved is the same one.
  char *moved = under("moved");
  assert_int_equal(rename(other, moved), 0);
  assert_int_equal(course_use(moved, &e), ERR_OK);
  assert_int_equal(page_of(), 4);
  unsetenv("WARPSHOP_COURSE");
  free(moved);
  free(data);
  free(other);
  free(mine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_file), cmocka_unit_test(indexes),
      cmocka_unit_test(parts),    cmocka_unit_test(own_indexes_are_right),
      cmocka_unit_test(in_use),   cmocka_unit_test(progress),
  };
  unsetenv("WARPSHOP_COURSE");
  unsetenv("WARPSHOP_COURSES");
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

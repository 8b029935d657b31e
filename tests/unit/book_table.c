// SPDX-License-Identifier: Apache-2.0
// class/book/table.h and roster.h: CSV as spreadsheets and course systems write it.
#include "class/book/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "class/book/evidence.h"
#include "class/book/roster.h"
#include "class/book/sql.h"
#include "tests/unit/scratch.h"

// Cells as "[a][b]|[c]", the header's row first; or the error.
static char *read_text(const char *text, size_t bytes) {
  struct table t;
  struct err_info e;
  struct str s = STR_INIT;
  if (table_read("f", text, bytes, &t, &e))
    return xstrdup(e.text);
  for (int i = -1; i < t.count; i++) {
    const struct table_row *row = i < 0 ? &t.header : &t.rows[i];
    str_add(&s, i < 0 ? "" : "|");
    for (int k = 0; k < row->count; k++)
      str_addf(&s, "[%s]", row->cells[k]);
  }
  table_free(&t);
  return str_take(&s);
}

static void expect_bytes(const char *text, size_t bytes, const char *want) {
  char *got = read_text(text, bytes);
  assert_string_equal(got, want);
  free(got);
}

static void expect(const char *text, const char *want) {
  expect_bytes(text, strlen(text), want);
}

static void test_forms(void **state) {
  (void)state;
  expect("a,b\n1,2\n", "[a][b]|[1][2]");
  expect("a,b\r\n1,2\r\n\r\n3,4", "[a][b]|[1][2]|[3][4]");
  expect("\xEF\xBB\xBF\"a\",b\n1,2\n", "[a][b]|[1][2]");
  expect("a;b\n1,5;2\n", "[a][b]|[1,5][2]");
  expect("a\tb\n1\t2\n", "[a][b]|[1][2]");
  expect("\"a;x\",b\n1,2\n", "[a;x][b]|[1][2]");
  expect("a,b\n\"say \"\"hi\"\"\",\"two\r\nlines\"\n",
         "[a][b]|[say \"hi\"][two\r\nlines]");
  expect("a,b\n  1 , \n,,,\n2\n", "[a][b]|[1][]|[2]");
  expect("a,b\n1,2,,\n", "[a][b]|[1][2][][]");
}

static void test_wrong(void **state) {
  (void)state;
  expect("", "f: it has no line of column names");
  expect("\n1,2\n", "f: it has no line of column names");
  expect("a,b\n1,\"2\n3,4\n", "f:2: a quote begins and does not end");
  expect("a,b\n\"x\ny\",2,3\n", "f:2: this row has 3 cells, and there are 2 "
                                "columns");
  expect("a,b\n\xE4,2\n", "f:2: this is no text in UTF-8; save it as \"CSV "
                          "UTF-8\"");
  expect_bytes("a,b\n1,2\0\n", 9,
               "f:2: this is no text in UTF-8; save it as "
               "\"CSV UTF-8\"");
}

// ---- Rosters ----

struct heard {
  struct str odd;
  struct err_info e;
  struct roster roster;
};

static void hear(void *context, const char *text) {
  str_addf(&((struct heard *)context)->odd, "%s\n", text);
}

static struct book *new_book(void) {
  char *path = xasprintf("%s/roster.sqlite", folder);
  struct book_open q = {.path = path, .author = "prof", .is_new = true};
  struct book *b;
  struct err_info e;
  unlink(path);
  assert_int_equal(book_open(&q, &b, &e), ERR_OK);
  free(path);
  return b;
}

static struct heard import(struct book *b, const char *text, bool skips) {
  struct heard h = {.odd = STR_INIT};
  h.roster = (struct roster){.name = "r.csv",
                             .text = text,
                             .bytes = strlen(text),
                             .skips = skips,
                             .odd = hear,
                             .context = &h};
  book_begin(b, true);
  roster_import(b, &h.roster);
  if (!book_end(b, &h.e))
    h.e = (struct err_info){0};
  return h;
}

static void expect_learners(struct book *b, const char *want) {
  book_begin(b, false);
  char *got = sql_text(b,
                       "SELECT coalesce(group_concat(t, ' '), '') FROM (SELECT"
                       " name || '=' || full_name || '/' || coalesce((SELECT"
                       " value FROM alias WHERE learner = id AND field = 'ID'),"
                       " '') t FROM learner ORDER BY name)",
                       "");
  book_undo(b, NULL);
  assert_string_equal(got, want);
  free(got);
}

static void test_canvas(void **state) {
  (void)state;
  struct book *b = new_book();
  // Any order; rows of Canvas's own are passed over.
  struct heard h =
      import(b,
             "\xEF\xBB\xBFSection,ID,Student,SIS Login ID,sum (7)\r\n"
             ",,Manual Posting,,\r\n,,    Points Possible,,10\r\n"
             "A,11,\"Doe, Anna\",anna@uni.edu,\r\nB,12,\"Roe,\nBen\",ben,3\r\n"
             "B,13,\"Student, Test\",0123,\r\n",
             false);
  assert_int_equal(h.e.code, ERR_OK);
  assert_string_equal(h.odd.data, "");
  assert_string_equal(h.roster.system, "canvas");
  assert_int_equal(h.roster.added, 2);
  expect_learners(b, "anna=Doe, Anna/11 ben=Roe,\nBen/12");
  str_free(&h.odd);
  // What does not match is listed, and nothing of it is taken.
  static const char bad[] = "Student,ID,SIS Login ID\nNew,14,new\nNone,15,\n"
                            "Other,11,other\nNew again,16,new\nSlash,17,a/b\n";
  h = import(b, bad, false);
  assert_int_equal(h.e.code, ERR_ARGUMENT);
  assert_non_null(strstr(h.odd.data, "r.csv:3: no user name: None\n"));
  assert_non_null(strstr(
      h.odd.data, "r.csv:4: ID 11 is anna's already, and here other's\n"));
  assert_non_null(strstr(h.odd.data, "r.csv:5: new is in line 2 as well\n"));
  assert_non_null(strstr(h.odd.data, "\"a/b\" can be no user's name\n"));
  assert_non_null(strstr(h.odd.data, "ben is in the book, and not in r.csv"));
  assert_int_equal(h.roster.odd_count, 4);
  expect_learners(b, "anna=Doe, Anna/11 ben=Roe,\nBen/12");
  str_free(&h.odd);
  h = import(b, bad, true);
  assert_int_equal(h.e.code, ERR_OK);
  expect_learners(b, "anna=Doe, Anna/11 ben=Roe,\nBen/12 new=New/14");
  str_free(&h.odd);
  book_close(b);
}

static void test_moodle(void **state) {
  (void)state;
  struct book *b = new_book();
  struct heard h = import(b,
                          "First name;Last name;ID number;Email address\n"
                          "Anna;Doe;77;anna@uni.edu\nBen;Roe;;ben@uni.edu\n",
                          false);
  assert_int_equal(h.e.code, ERR_OK);
  assert_string_equal(h.roster.system, "moodle");
  expect_learners(b, "anna=Anna Doe/ ben=Ben Roe/");
  str_free(&h.odd);
  // A worksheet of an assignment, of the same two: no learner twice.
  h = import(b,
             "Identifier,Full name,Username,Email address,Status,Grade\n"
             "Participant 4,Anna Doe,anna,a@uni.edu,,\n"
             "Participant 5,Ben Roe,ben,b@uni.edu,,\n",
             false);
  assert_int_equal(h.e.code, ERR_OK);
  assert_int_equal(h.roster.added, 0);
  str_free(&h.odd);
  h = import(b, "Name,Mark\nanna,3\n", false);
  assert_int_equal(h.e.code, ERR_ARGUMENT);
  assert_non_null(strstr(h.e.text, "no columns of Canvas or Moodle"));
  str_free(&h.odd);
  book_close(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),
      cmocka_unit_test(test_wrong),
      cmocka_unit_test(test_canvas),
      cmocka_unit_test(test_moodle),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: Apache-2.0
// class/book/rule.h and mark.h: what a mark is made of, and that it stays what it was
// until somebody says otherwise.
#include "base/file.h"
#include "class/book/mark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "class/book/evidence.h"
#include "class/book/regrade.h"
#include "class/book/sql.h"
#include "tests/unit/scratch.h"

static const int64_t DUE_MS = 1700000000000, MIN = 60000, HOUR = 3600000;

// ---- Rules ----

static void test_late(void **state) {
  (void)state;
  static const struct rule rule = {.due_ms = 1700000000000,
                                   .late_permyriad = 1250,
                                   .grace_min = 15,
                                   .cutoff_h = 72};
  static const struct {
    int64_t late_ms;
    int share;
    const char *why;
  } rows[] = {
      {-1, 10000, "in time"},
      {0, 10000, "in time"},
      {1, 10000, "1 min late, within 15 min of grace"},
      {900000, 10000, "15 min late, within 15 min of grace"},
      {900001, 8750, "16 min late, 1 day begun x 12.5% = 12.5% off"},
      {86400000, 8750, "1 d 0 h 0 min late, 1 day begun x 12.5% = 12.5% off"},
      {86400001, 7500, "1 d 0 h 1 min late, 2 days begun x 12.5% = 25% off"},
      {259200000, 6250, "3 d 0 h 0 min late, 3 days begun x 12.5% = 37.5% off"},
      {259200001, -1, "3 d 0 h 1 min late, more than 72 h: it does not count"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct str why = STR_INIT;
    assert_int_equal(rule_late_share(&rule, DUE_MS + rows[i].late_ms, &why),
                     rows[i].share);
    assert_string_equal(why.data, rows[i].why);
    str_free(&why);
  }
  struct rule all = {.due_ms = DUE_MS, .late_permyriad = 4000, .cutoff_h = -1};
  struct str why = STR_INIT;
  assert_int_equal(rule_late_share(&all, DUE_MS + 100 * HOUR, &why), 0);
  str_free(&why);
  assert_int_equal(rule_mark(2, 3, 1000, 10000), 667);
  assert_int_equal(rule_mark(2, 3, 1000, 7500), 500);
  assert_int_equal(rule_mark(0, 0, 1000, 10000), 0);
}

static void expect_time(const char *text, int64_t want) {
  struct err_info e;
  int64_t ms = -1;
  enum err err = rule_time(text, &ms, &e);
  assert_int_equal(err ? -1 : ms, want);
}

static void test_texts(void **state) {
  (void)state;
  setenv("TZ", "UTC0", 1);
  expect_time("2023-11-14 22:13:20", DUE_MS);
  expect_time("2023-11-14T22:13:20Z", DUE_MS);
  expect_time("2023-11-14 23:13:20 +01:00", DUE_MS);
  expect_time("2023-11-14 20:43:20-0130", DUE_MS);
  expect_time("2023-11-14 22:13", DUE_MS - 20000);
  static const char *const wrong[] = {"",
                                      "tomorrow",
                                      "2023-11-14",
                                      "2023-02-30 10:00",
                                      "2023-11-14 25:00",
                                      "2023-11-14 22:13 CET",
                                      "1700000000"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_time(wrong[i], -1);
  static const struct {
    const char *text;
    int64_t points;
  } points[] = {{"7.5", 750}, {"0", 0},      {"10", 1000}, {"0.07", 7},
                {"-1", -1},   {"1.234", -1}, {"x", -1},    {"nan", -1},
                {"1e9", -1},  {"", -1},      {"5 ", -1},   {"inf", -1}};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    struct err_info e;
    int64_t got = -1;
    enum err err = rule_points(points[i].text, &got, &e);
    assert_int_equal(err ? -1 : got, points[i].points);
  }
}

// ---- A book ----

static struct book *book;
static int64_t anna, ben, sum;

static int new_book(void **state) {
  char *path = xasprintf("%s/mark.sqlite", folder);
  struct book_open q = {.path = path, .author = "prof", .is_new = true};
  struct err_info e;
  (void)state;
  unlink(path);
  int rc = book_open(&q, &book, &e);
  free(path);
  if (rc)
    return -1;
  book_begin(book, true);
  anna = learner_make(book, "anna");
  ben = learner_make(book, "ben");
  sum = exercise_make(book, "sum");
  return 0;
}

static int end_book(void **state) {
  struct err_info e;
  (void)state;
  int rc = book_end(book, &e);
  book_close(book);
  return rc ? -1 : 0;
}

static void say(const char *kind, int64_t learner, json_t *value) {
  struct book_event event = {
      .kind = kind, .learner = learner, .exercise = sum, .value = value};
  assert_true(event_insert(book, &event) > 0);
}

static void set_rule(enum rule_attempt attempt) {
  struct rule r = {.due_ms = DUE_MS,
                   .late_permyriad = 1000,
                   .cutoff_h = 48,
                   .attempt = attempt};
  say("rule", 0, rule_json(&r));
}

static void judge(int64_t learner, const char *hash, double earned,
                  const char *version) {
  json_t *v = json_pack(
      "{s:s,s:{s:o,s:i},s:{s:s,s:{s:s}}}", "exercise", "sum", "score", "earned",
      earned < 0 ? json_null() : json_real(earned), "possible", 10, "evidence",
      "source_sha256", hash, "versions", "exercise", version);
  assert_true(evidence_add_verdict(book, learner, v));
  assert_false(evidence_add_verdict(book, learner, v)); // it is there
  json_decref(v);
}

static bool hand_in(int64_t learner, const char *hash, int64_t late_ms,
                    int receipt) {
  struct book_submission s = {.learner = learner,
                              .exercise = sum,
                              .sha256 = hash,
                              .time_ms = DUE_MS + late_ms,
                              .time_from = receipt ? "receipt" : "file",
                              .attempt = receipt};
  return evidence_add_submission(book, &s);
}

// In hundredths; -1: there is none.
static int64_t mark_of(int64_t learner) {
  struct marks *m = marks_open(book, sum);
  struct mark mark;
  marks_of(m, learner, &mark);
  int64_t value = mark.is_there ? mark.value : -1;
  mark_free(&mark);
  marks_close(m);
  return value;
}

static void test_attempts(void **state) {
  (void)state;
  set_rule(ATTEMPT_BEST);
  assert_int_equal(mark_of(anna), -1);
  hand_in(anna, "a", -HOUR, 1);
  assert_int_equal(mark_of(anna), -1); // not judged
  judge(anna, "a", 4, "v1");
  assert_int_equal(mark_of(anna), 400);
  hand_in(anna, "b", HOUR, 2); // one day: 10% off
  judge(anna, "b", 10, "v1");
  assert_int_equal(mark_of(anna), 900);
  hand_in(anna, "c", 30 * HOUR, 3);
  judge(anna, "c", 5, "v1");
  hand_in(anna, "d", 49 * HOUR, 4); // behind the cut-off
  judge(anna, "d", 10, "v1");
  assert_int_equal(mark_of(anna), 900);
  set_rule(ATTEMPT_LAST);
  assert_int_equal(mark_of(anna), 400); // c: 5 of 10, two days
  set_rule(ATTEMPT_FIRST);
  assert_int_equal(mark_of(anna), 400);
  say("extension", anna, json_integer(DUE_MS + 30 * HOUR));
  set_rule(ATTEMPT_LAST);
  assert_int_equal(mark_of(anna), 900); // d: 10 of 10, one day
  assert_int_equal(mark_of(ben), -1);
}

// The mark, and what follows from it, of who has handed in after the cutoff alone.
static void expect_cut_off(int64_t learner, int64_t late_off) {
  const int64_t cutoff_ms = DUE_MS + 48 * HOUR;
  struct marks *m = marks_open(book, sum);
  struct mark mark;
  marks_of(m, learner, &mark);
  assert_true(mark.is_there && mark.is_computed);
  assert_int_equal(mark.value, 0);
  assert_int_equal(mark.of, 1000);
  assert_int_equal(mark.late_off, late_off);
  assert_int_equal(mark.cutoff_ms, cutoff_ms);
  char *time = rule_show_time(cutoff_ms);
  char *why = xasprintf(
      "\ncounts: nothing, as all of it came after the cutoff, %s: 0\n", time);
  assert_non_null(strstr(mark.steps.data, why));
  assert_non_null(strstr(mark.steps.data, "\nmark: 0 of 10\n"));
  free(time);
  free(why);
  mark_free(&mark);
  marks_close(m);
}

// What comes after the cutoff earns 0, where nothing came before it.
static void test_cutoff(void **state) {
  (void)state;
  set_rule(ATTEMPT_LAST);
  hand_in(anna, "a", 49 * HOUR, 1);
  assert_int_equal(mark_of(anna), -1); // not judged
  judge(anna, "a", 8, "v1");
  expect_cut_off(anna, 800);
  hand_in(anna, "b", 50 * HOUR, 2);
  judge(anna, "b", 10, "v1");
  expect_cut_off(anna, 1000);
  // One in time may still be judged: then it is that one's mark.
  hand_in(ben, "c", -HOUR, 1);
  hand_in(ben, "d", 49 * HOUR, 2);
  judge(ben, "d", 10, "v1");
  assert_int_equal(mark_of(ben), -1);
  judge(ben, "c", 6, "v1");
  assert_int_equal(mark_of(ben), 600);
  say("extension", anna, json_integer(DUE_MS + HOUR));
  assert_int_equal(mark_of(anna), 640); // a: 8 of 10, two days; b: none
  say("extension", anna, json_integer(0));
  expect_cut_off(anna, 1000);
  say("override", anna, json_integer(300));
  assert_int_equal(mark_of(anna), 300);
  // Grace is never cut short.
  struct rule r = {.due_ms = DUE_MS, .grace_min = 120, .cutoff_h = 1};
  assert_int_equal(rule_cutoff_ms(&r), DUE_MS + 2 * HOUR);
  r.cutoff_h = -1;
  assert_int_equal(rule_cutoff_ms(&r), 0);
}

// The judge's own error is no mark, and takes none away.
static void test_errors(void **state) {
  (void)state;
  hand_in(anna, "a", -HOUR, 1);
  judge(anna, "a", -1, "v1");
  assert_int_equal(mark_of(anna), -1);
  judge(anna, "a", 6, "v1");
  assert_int_equal(mark_of(anna), 600);
  judge(anna, "a", -1, "v2");
  assert_int_equal(mark_of(anna), 600);
}

// A receipt's number tells what came later, not the file server's clock; its time
// counts before the file's own.
static void test_order(void **state) {
  (void)state;
  set_rule(ATTEMPT_LAST);
  hand_in(anna, "a", -HOUR, 1);
  hand_in(anna, "b", -2 * HOUR, 2);
  judge(anna, "a", 4, "v1");
  judge(anna, "b", 7, "v1");
  assert_int_equal(mark_of(anna), 700);
  assert_false(hand_in(anna, "b", -2 * HOUR, 2));
  hand_in(ben, "x", HOUR, 0);
  judge(ben, "x", 10, "v1");
  assert_int_equal(mark_of(ben), 900);
  assert_false(hand_in(ben, "x", 2 * HOUR, 0)); // the same file is no attempt
  hand_in(ben, "x", -HOUR, 1);
  assert_int_equal(mark_of(ben), 1000);
}

static void test_groups(void **state) {
  (void)state;
  hand_in(anna, "a", -HOUR, 1);
  judge(anna, "a", 8, "v1");
  assert_int_equal(mark_of(ben), -1);
  say("group", anna, json_string("g"));
  say("group", ben, json_string("g"));
  assert_int_equal(mark_of(ben), 800);
  say("group", ben, json_string("other"));
  assert_int_equal(mark_of(ben), -1);
  // Of all exercises, unless something was said of this one.
  struct book_event always = {
      .kind = "group", .learner = ben, .value = json_string("g")};
  event_insert(book, &always);
  assert_int_equal(mark_of(ben), -1);
  say("group", ben, json_string("g"));
  assert_int_equal(mark_of(ben), 800);
}

struct changes {
  int others, all;
  char last[200];
};

static void hear(void *context, const struct mark_change *c) {
  struct changes *seen = context;
  seen->all++;
  seen->others += c->is_other;
  snprintf(seen->last, sizeof seen->last, "%s %lld", c->learner,
           (long long)json_integer_value(json_object_get(c->to, "mark")));
}

static void test_regrade(void **state) {
  (void)state;
  struct changes seen = {0};
  hand_in(anna, "a", -HOUR, 1);
  hand_in(ben, "b", -HOUR, 1);
  hand_in(ben, "c", -HOUR, 2);
  judge(anna, "a", 4, "v1");
  judge(ben, "b", 5, "v1");
  say("override", ben, json_integer(950));
  marks_settle(book, sum, "", hear, &seen);
  assert_int_equal(seen.others, 2);
  // Judged again: nothing changes by itself.
  judge(anna, "a", 9, "v2");
  judge(ben, "b", 1, "v2");
  seen = (struct changes){0};
  marks_settle(book, sum, "", hear, &seen);
  assert_int_equal(seen.all, 0);
  assert_int_equal(
      sql_number(book, 0, "SELECT count(*) FROM event WHERE kind = 'mark'", ""),
      2);
  assert_int_equal(mark_of(anna), 400);
  // Regraded: anna's mark is another, ben's own stays, and both are told.
  struct regrade q = {
      .exercise = "sum", .reason = "v2", .changed = hear, .context = &seen};
  regrade(book, &q);
  assert_int_equal(seen.others, 1);
  assert_int_equal(seen.all, 2);
  assert_int_equal(q.not_judged, 1); // "c"
  assert_string_equal(q.version, "v2");
  assert_int_equal(mark_of(anna), 900);
  assert_int_equal(mark_of(ben), 950);
  say("override", ben, json_null());
  assert_int_equal(mark_of(ben), 100);
  // What is handed in and judged afterwards counts at once.
  hand_in(anna, "d", -HOUR, 2);
  judge(anna, "d", 10, "v2");
  assert_int_equal(mark_of(anna), 1000);
}

// What was kept and what follows are compared, both ways.
static void test_compare(void **state) {
  (void)state;
  struct changes seen = {0};
  hand_in(anna, "a", -HOUR, 1);
  judge(anna, "a", 4, "v1");
  marks_compare(book, hear, &seen);
  assert_int_equal(seen.all, 1);
  marks_settle(book, sum, "", NULL, NULL);
  seen = (struct changes){0};
  marks_compare(book, hear, &seen);
  assert_int_equal(seen.all, 0);
  json_t *forged = json_pack("{s:i,s:i}", "mark", 1000, "of", 1000);
  say("mark", anna, forged);
  marks_compare(book, hear, &seen);
  assert_int_equal(seen.all, 1);
  marks_settle(book, sum, "", NULL, NULL);
}

// The clock of the instructor's machine stands back: the order stays, and it is
// noted, once.
static void test_clock(void **state) {
  (void)state;
  sql_run(book,
          "INSERT INTO event (time_ms, author, kind, exercise, value, reason)"
          " VALUES (4000000000000, 'prof', 'override', ?, '700', '')",
          "i", sum);
  sql_run(book, "UPDATE keeping SET is_open = 1", "");
  sql_run(book, "UPDATE event SET learner = ?", "i", anna);
  sql_run(book, "UPDATE keeping SET is_open = 0", "");
  assert_int_equal(mark_of(anna), 700);
  say("override", anna, json_integer(300));
  assert_int_equal(mark_of(anna), 300);
  say("override", anna, json_integer(200));
  assert_int_equal(mark_of(anna), 200);
  assert_int_equal(sql_number(book, 0,
                              "SELECT count(*) FROM event WHERE kind = 'clock'",
                              ""),
                   1);
}

// Nothing is changed or removed, whoever tries.
static void test_kept(void **state) {
  (void)state;
  static const char *const tries[] = {
      "UPDATE event SET author = 'x'",
      "DELETE FROM event WHERE kind = 'override'",
      "UPDATE verdict SET earned = 10",
      "DELETE FROM verdict",
      "UPDATE submission SET time_ms = 0",
      "DELETE FROM submission"};
  hand_in(anna, "a", MIN, 1);
  judge(anna, "a", 4, "v1");
  say("override", ben, json_integer(100)); // that nothing points at
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
    assert_int_not_equal(
        sqlite3_exec(book_database(book), tries[i], NULL, NULL, NULL),
        SQLITE_OK);
  assert_int_equal(mark_of(anna), 400);
}

static void test_networks(void **state) {
  (void)state;
  assert_string_equal(file_network_name(0x6969), "NFS");
  assert_string_equal(file_network_name(0xFF534D42), "CIFS");
  assert_string_equal(file_network_name(0x0BD00BD0), "Lustre");
  assert_null(file_network_name(0xEF53)); // ext4
}

// A book of the first version is brought to this one, and keeps what it has; one of
// a later version is left alone.
static void test_versions(void **state) {
  (void)state;
  static const char *const first[] = {
#define STEP(sql) sql,
#include "class/book/schema.def"
#undef STEP
  };
  char *path = xasprintf("%s/old.sqlite", folder);
  struct book_open q = {.path = path, .author = "prof"};
  struct err_info e;
  struct book *b;
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_exec(db, first[0], NULL, NULL, NULL);
  sqlite3_exec(db,
               "INSERT INTO learner (name) VALUES ('old');"
               "PRAGMA application_id = 1463971691; PRAGMA user_version = 1",
               NULL, NULL, NULL);
  sqlite3_close(db);
  chmod(path, 0600);
  assert_int_equal(book_open(&q, &b, &e), ERR_OK);
  book_begin(b, true);
  assert_int_not_equal(learner_find(b, "old"), 0);
  sql_run(b, "UPDATE keeping SET is_open = 0", "");
  assert_int_equal(book_end(b, &e), ERR_OK);
  sqlite3_exec(book_database(b), "PRAGMA user_version = 99", NULL, NULL, NULL);
  book_close(b);
  assert_int_equal(book_open(&q, &b, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "a newer warpshop"));
  free(path);
}

// Who comes second has a turn afterwards, or is sent away with nothing changed; who
// reads needs not wait.
static void test_two_writers(void **state) {
  (void)state;
  char *path = xasprintf("%s/two.sqlite", folder);
  struct book_open q = {
      .path = path, .author = "one", .is_new = true, .wait_ms = 50};
  struct err_info e;
  struct book *one, *two;
  assert_int_equal(book_open(&q, &one, &e), ERR_OK);
  q.is_new = false;
  assert_int_equal(book_open(&q, &two, &e), ERR_OK);
  book_begin(one, true);
  learner_make(one, "anna");
  book_begin(two, true);
  learner_make(two, "ben");
  assert_int_equal(book_end(two, &e), ERR_NOT_READY);
  assert_non_null(strstr(e.text, "another program has been writing in it"));
  book_begin(two, false);
  assert_int_equal(learner_find(two, "anna"), 0);
  assert_int_equal(book_undo(two, &e), ERR_OK);
  assert_int_equal(book_end(one, &e), ERR_OK);
  book_begin(two, true);
  assert_int_equal(learner_find(two, "ben"), 0);
  assert_int_not_equal(learner_find(two, "anna"), 0);
  learner_make(two, "ben");
  assert_int_equal(book_end(two, &e), ERR_OK);
  book_close(one);
  book_close(two);
  free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_book, end_book)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_late),
      cmocka_unit_test(test_texts),
      TEST(test_attempts),
      TEST(test_cutoff),
      TEST(test_errors),
      TEST(test_order),
      TEST(test_groups),
      TEST(test_regrade),
      TEST(test_compare),
      TEST(test_clock),
      TEST(test_kept),
      cmocka_unit_test(test_networks),
      cmocka_unit_test(test_versions),
      cmocka_unit_test(test_two_writers),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

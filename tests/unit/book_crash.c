// SPDX-License-Identifier: Apache-2.0
// The gradebook on a disk that fails (book_crash_disk.h), at points spread over all
// writes of a course: what was acknowledged is there, nothing is there by half, all
// marks follow from the evidence, and whoever begins again ends where an undisturbed
// run does. BOOK_CRASH_POINTS: how many points of each failure (20).
#include "tests/unit/book_crash_disk.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "class/book/evidence.h"
#include "class/book/export.h"
#include "class/book/person.h"
#include "class/book/regrade.h"
#include "class/book/roster.h"
#include "class/book/rule.h"
#include "class/book/sql.h"
#include "class/book/take.h"
#include "tests/unit/scratch.h"

// ---- A course ----

static const char roster_text[] =
    "Student,ID,SIS Login ID,Section\r\n\"Doe, Anna\",1,anna,A\r\n"
    "\"Roe, Ben\",2,ben,A\r\n\"Poe, Eve\",3,eve,B\r\n";

static void ignore(void *context, const char *text) {
  (void)context;
  (void)text;
}

static void take_rule(struct book *b, int i) {
  struct rule r = {.of = 2000,
                   .due_ms = 1000000000,
                   .late_permyriad = 1000,
                   .cutoff_h = i % 2 ? 240 : -1};
  struct book_event event = {.kind = "rule",
                             .exercise = exercise_make(b, "sum"),
                             .value = rule_json(&r)};
  event_insert(b, &event);
  marks_settle(b, event.exercise, "rule", NULL, NULL);
}

static json_t *verdict_of(const char *hash, int earned, const char *version) {
  return json_pack("{s:s,s:s,s:{s:i,s:i},s:{s:s,s:s,s:{s:s,s:s}}}", "exercise",
                   "sum", "verdict", earned == 10 ? "pass" : "fail", "score",
                   "earned", earned, "possible", 10, "evidence",
                   "source_sha256", hash, "seed", "s", "versions", "warpshop",
                   "0", "exercise", version);
}

// Hand-ins of all three, each judged; a text makes them larger than a page.
static void take_hand_ins(struct book *b, int i) {
  static const char *const names[] = {"anna", "ben", "eve"};
  char *source = xcalloc(1, 3001), hash[32];
  memset(source, 'a' + i % 26, 3000);
  for (int k = 0; k < 3; k++) {
    snprintf(hash, sizeof hash, "%s-%d", names[k], i);
    struct book_submission s = {.learner = learner_make(b, names[k]),
                                .exercise = exercise_make(b, "sum"),
                                .sha256 = hash,
                                .time_ms = 1000000000 + i * 40000000LL,
                                .time_from = "receipt",
                                .attempt = i + 1,
                                .source = source};
    json_t *v = verdict_of(hash, (i * 3 + k) % 11, "v1");
    evidence_add_submission(b, &s);
    evidence_add_verdict(b, s.learner, v);
    json_decref(v);
  }
  marks_settle(b, exercise_find(b, "sum"), "taken in", NULL, NULL);
  free(source);
}

static void take_said(struct book *b, const char *kind, const char *learner,
                      json_t *value) {
  struct book_event event = {.kind = kind,
                             .learner = learner_need(b, learner),
                             .exercise = exercise_need(b, "sum"),
                             .value = value};
  event_insert(b, &event);
  marks_settle(b, event.exercise, kind, NULL, NULL);
}

static void take_regrade(struct book *b, int i) {
  char hash[32];
  snprintf(hash, sizeof hash, "eve-%d", i % 4 + 1);
  json_t *v = verdict_of(hash, 10, "v2");
  struct regrade q = {.exercise = "sum", .reason = "changed"};
  evidence_add_verdict(b, learner_find(b, "eve"), v);
  regrade(b, &q);
  json_decref(v);
}

enum { STEPS = 22 };

// Number `i` of STEPS, each a transaction with its number in it.
static enum err take_step(struct book *b, int i, struct err_info *e) {
  struct erased erased;
  if (i == STEPS - 1)
    return person_erase(b, "anna", &erased, e);
  struct roster roster = {.name = "roster",
                          .text = roster_text,
                          .bytes = sizeof roster_text - 1,
                          .odd = ignore};
  struct book_event marker = {.kind = "marker", .value = json_integer(i)};
  book_begin(b, true);
  event_insert(b, &marker);
  if (i == 0)
    roster_import(b, &roster);
  else if (i == 1 || i == 9)
    take_rule(b, i);
  else if (i == 6)
    take_said(b, "override", "ben", json_integer(700));
  else if (i == 8)
    take_said(b, "group", "anna", json_string("g")),
        take_said(b, "group", "eve", json_string("g"));
  else if (i == 10 || i == 12)
    take_regrade(b, i);
  else if (i == 13)
    take_said(b, "comment", "eve", json_string("well done"));
  else
    take_hand_ins(b, i);
  return book_end(b, e);
}

// ---- What must be true afterwards ----

static void count_wrong(void *context, const char *text) {
  print_message("# %s\n", text);
  ++*(int *)context;
}

static void count_change(void *context, const struct mark_change *change) {
  print_message("# %s's mark does not follow from the evidence\n",
                change->learner);
  ++*(int *)context;
}

static int is_sound(struct book *b) {
  struct err_info e = {0};
  int wrong = 0;
  assert_int_equal(book_check(b, count_wrong, &wrong, &e), ERR_OK);
  book_begin(b, false);
  evidence_check(b, count_wrong, &wrong);
  marks_compare(b, count_change, &wrong);
  assert_int_equal(book_undo(b, &e), ERR_OK);
  return !wrong;
}

// Steps that are in the book: all up to a number, and no other.
static int steps_in(struct book *b) {
  book_begin(b, false);
  int64_t count =
      sql_number(b, 0, "SELECT count(*) FROM event WHERE kind = 'marker'", "");
  int64_t last = sql_number(b, -1,
                            "SELECT max(CAST(value AS INTEGER)) FROM event"
                            " WHERE kind = 'marker'",
                            "");
  int64_t erased =
      sql_number(b, 0, "SELECT count(*) FROM event WHERE kind = 'erasure'", "");
  book_undo(b, NULL);
  assert_int_equal(count, last + 1);
  return (int)(count + erased);
}

// All marks; without numbers and times, which differ from run to run.
static char *marks_text(struct book *b) {
  struct str s = STR_INIT;
  json_t *learner, *mark;
  const char *exercise;
  size_t i;
  book_begin(b, false);
  json_t *o = export_marks(b, NULL, NULL);
  book_undo(b, NULL);
  json_array_foreach(json_object_get(o, "learners"), i, learner) {
    json_object_foreach(json_object_get(learner, "marks"), exercise, mark) {
      char *value = json_dumps(json_object_get(mark, "mark"), JSON_ENCODE_ANY);
      str_addf(&s, "%s %s %s\n",
               json_string_value(json_object_get(learner, "learner")), exercise,
               value);
      free(value);
    }
  }
  json_decref(o);
  str_add(&s, ".");
  return str_take(&s);
}

static char *book_file(const char *name) {
  return xasprintf("%s/%s.sqlite", folder, name);
}

static struct book *open_book(const char *path, bool is_new) {
  struct book_open q = {.path = path, .author = "prof", .is_new = is_new};
  struct book *b = NULL;
  struct err_info e = {0};
  book_open(&q, &b, &e);
  return b; // NULL: there is none yet
}

static char *reference[STEPS + 1]; // the marks behind each step
static int operations;             // that it takes

// In a process of its own: each step is acknowledged by a byte.
static void work(const char *path, enum disk_failure failure, int at, int to) {
  struct err_info e;
  disk_install(failure, at, (unsigned)at);
  struct book *b = open_book(path, true);
  if (!b)
    _exit(1);
  for (int i = 0; i < STEPS; i++) {
    enum err err = take_step(b, i, &e);
    if (err)
      _exit(2);
    if (write(to, "x", 1) != 1)
      _exit(3);
  }
  book_close(b);
  int n = disk.operations;
  if (write(to, &n, sizeof n) != sizeof n)
    _exit(4);
  _exit(0);
}

struct outcome {
  int status, acknowledged, operations;
};

static struct outcome run(const char *path, enum disk_failure failure, int at) {
  struct outcome out = {0};
  int pipe_of[2];
  char c[64];
  assert_int_equal(pipe(pipe_of), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (!pid) {
    close(pipe_of[0]);
    work(path, failure, at, pipe_of[1]);
  }
  close(pipe_of[1]);
  while (read(pipe_of[0], c, 1) == 1) {
    if (out.acknowledged < STEPS)
      out.acknowledged++;
    else if (read(pipe_of[0], c + 1, sizeof(int) - 1) == sizeof(int) - 1)
      memcpy(&out.operations, c, sizeof(int));
  }
  close(pipe_of[0]);
  waitpid(pid, &out.status, 0);
  return out;
}

static int make_reference(void **state) {
  struct err_info e;
  if (set_up(state))
    return -1;
  disk_install(DISK_WORKS, 0, 1);
  char *path = book_file("reference");
  struct book *b = open_book(path, true);
  for (int i = 0; i <= STEPS; i++) {
    reference[i] = marks_text(b);
    if (i < STEPS)
      assert_int_equal(take_step(b, i, &e), ERR_OK);
  }
  assert_true(is_sound(b));
  book_close(b);
  free(path);
  path = book_file("counted");
  operations = run(path, DISK_WORKS, 0).operations;
  free(path);
  return operations > 1000 ? 0 : -1;
}

// ---- The failures ----

static int points(void) {
  const char *wanted = getenv("BOOK_CRASH_POINTS");
  int n = wanted ? atoi(wanted) : 20;
  return n < operations ? n : operations;
}

// Whoever comes after: finds what was acknowledged, and goes on to the end.
static void go_on(const char *path, int acknowledged, int at) {
  struct err_info e = {0};
  struct stat st;
  // Killed before there was a book: it is made again.
  bool is_new = !acknowledged && (stat(path, &st) || !st.st_size);
  struct book *b = open_book(path, is_new);
  if (!b && !acknowledged) { // the same, with its empty tables rolled back
    b = open_book(path, true);
  }
  assert_non_null(b);
  int there = steps_in(b);
  if (there < acknowledged || there > acknowledged + 1)
    print_message("# at %d: %d acknowledged, %d there\n", at, acknowledged,
                  there);
  assert_in_range(there, acknowledged, acknowledged + 1);
  assert_true(is_sound(b));
  char *marks = marks_text(b);
  assert_string_equal(marks, reference[there]);
  free(marks);
  for (int i = there; i < STEPS; i++)
    assert_int_equal(take_step(b, i, &e), ERR_OK);
  marks = marks_text(b);
  assert_string_equal(marks, reference[STEPS]);
  assert_true(is_sound(b));
  free(marks);
  book_close(b);
}

static void remove_book(const char *path) {
  static const char *const ends[] = {"", "-journal", ".gone", "-journal.gone"};
  for (int i = 0; i < 4; i++) {
    char *one = xasprintf("%s%s", path, ends[i]);
    unlink(one);
    free(one);
  }
}

static void fail_at_points(enum disk_failure failure) {
  char *path = book_file("failing");
  int n = points(), hits = 0;
  for (int k = 0; k < n; k++) {
    int at = 1 + (int)((long long)k * operations / n);
    remove_book(path);
    struct outcome out = run(path, failure, at);
    hits += WIFEXITED(out.status) && WEXITSTATUS(out.status) == DISK_EXIT;
    go_on(path, out.acknowledged, at);
  }
  // Each of them was in the middle of the work.
  assert_int_equal(hits, n);
  print_message("# %d points of %d operations\n", n, operations);
  remove_book(path);
  free(path);
}

static void test_killed(void **state) {
  (void)state;
  fail_at_points(DISK_KILLS);
}

static void test_power(void **state) {
  (void)state;
  fail_at_points(DISK_LOSES_POWER);
}

// The step fails, says why, changes nothing, and succeeds once there is room.
static void fill_up(const char *path, int at) {
  struct err_info e = {0};
  struct book *b = NULL;
  disk_install(DISK_IS_FULL, at, 1);
  struct book_open q = {.path = path, .author = "prof", .is_new = true};
  if (book_open(&q, &b, &e)) {
    disk.has_room = true;
    b = open_book(path, true);
  }
  for (int i = 0; b && i < STEPS; i++) {
    bool is_last = i == STEPS - 1;
    if (!take_step(b, i, &e))
      continue;
    char *marks = marks_text(b);
    bool is_erased = steps_in(b) == STEPS;
    if (!disk.was_full || e.code != ERR_IO ||
        strcmp(marks, reference[is_erased ? STEPS : i]) != 0 || !is_sound(b))
      _exit(1);
    free(marks);
    disk.has_room = true;
    if (take_step(b, i, &e) && !(is_last && is_erased))
      _exit(2);
  }
  char *marks = b ? marks_text(b) : NULL;
  _exit(b && !strcmp(marks, reference[STEPS]) && is_sound(b) ? 0 : 3);
}

static void test_full(void **state) {
  (void)state;
  char *path = book_file("full");
  int n = points(), status;
  for (int k = 0; k < n; k++) {
    int at = 1 + (int)((long long)k * operations / n);
    remove_book(path);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
      fill_up(path, at);
    waitpid(pid, &status, 0);
    if (status)
      print_message("# full at %d: status %x\n", at, status);
    assert_int_equal(status, 0);
  }
  remove_book(path);
  free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_killed),
      cmocka_unit_test(test_power),
      cmocka_unit_test(test_full),
  };
  return cmocka_run_group_tests(tests, make_reference, tear_down);
}

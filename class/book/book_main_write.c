// SPDX-License-Identifier: Apache-2.0
// The commands that write into a book.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "class/book/book_main.h"
#include "class/book/evidence.h"
#include "class/book/regrade.h"
#include "class/book/roster.h"
#include "class/book/take.h"
#include "grade/command.h"

enum { MAX_ROSTER_BYTES = 16 << 20 };

static void say_odd(void *context, const char *text) {
  (void)context;
  command_say(0, text);
}

static const char *plural(int n) {
  return n == 1 ? "" : "s";
}

// Why something was done and marks change: what was given as the reason, else what
// was done.
static const char *reason_of(const struct book_call *call, const char *done) {
  const char *given = call->options['r'];
  return given && *given ? given : done;
}

static void settle(const struct book_call *call, int64_t exercise,
                   const char *done) {
  struct book_changes changes = {0};
  marks_settle(call->book, exercise, reason_of(call, done), book_call_changed,
               &changes);
  if (!book_has_failed(call->book))
    printf("%d mark%s changed.\n", changes.count, plural(changes.count));
}

int book_new(const struct book_call *call) {
  printf("%s is a gradebook. warpshop class book --help says what it takes.\n",
         book_path(call->book));
  return 0;
}

// ---- The class ----

static void do_roster(const struct book_call *call) {
  struct roster q = {.name = call->words[0],
                     .user = call->options['u'],
                     .skips = call->options['s'] != NULL,
                     .odd = say_odd};
  struct err_info e;
  char *text;
  if (file_read(q.name, MAX_ROSTER_BYTES, &text, &q.bytes, &e)) {
    book_fail(call->book, e.code, "%s", e.text);
    return;
  }
  q.text = text;
  roster_import(call->book, &q);
  if (!book_has_failed(call->book))
    printf("%s's list: %d learner%s, %d of them new; %d row%s left out.\n",
           !strcmp(q.system, "canvas") ? "Canvas" : "Moodle", q.rows,
           plural(q.rows), q.added, q.odd_count, plural(q.odd_count));
  free(text);
}

int book_roster(const struct book_call *call) {
  return book_call_write(call, do_roster);
}

// One of the book's, or of a course: any other name is mistyped.
static int64_t make_known(const struct book_call *call, const char *exercise) {
  struct err_info e;
  if (exercise_find(call->book, exercise) ||
      call->back->has_exercise(exercise, &e))
    return exercise_make(call->book, exercise);
  book_fail(call->book, ERR_NOT_FOUND, "%s", e.text);
  return 0;
}

// The group of all exercises, or of one, by an event each.
static void do_group(const struct book_call *call) {
  const char *exercise = call->options['x'];
  int64_t of = exercise ? make_known(call, exercise) : 0;
  bool is_none = !strcmp(call->words[0], "none");
  char *done = is_none ? xstrdup("hands in alone")
                       : xasprintf("group %s", call->words[0]);
  for (int i = 1; i < call->count; i++) {
    struct book_event event = {
        .kind = "group",
        .learner = learner_need(call->book, call->words[i]),
        .exercise = of,
        .value = json_string(is_none ? "" : call->words[0]),
        .reason = reason_of(call, done)};
    event_insert(call->book, &event);
  }
  struct book_changes changes = {0};
  if (!book_has_failed(call->book))
    marks_settle_all(call->book, of, reason_of(call, done), book_call_changed,
                     &changes);
  free(done);
  if (book_has_failed(call->book))
    return;
  printf("%d learner%s %s%s; %d mark%s changed.\n", call->count - 1,
         plural(call->count - 1), is_none ? "hand in alone" : "are group ",
         is_none ? "" : call->words[0], changes.count, plural(changes.count));
}

int book_group(const struct book_call *call) {
  return book_call_write(call, do_group);
}

// ---- Rules ----

// 0 to `most`; else the transaction fails.
static int whole_number(const struct book_call *call, int letter, int most) {
  const char *text = call->options[letter];
  char *end;
  long v = strtol(text, &end, 10);
  if (end == text || *end || v < 0 || v > most) {
    book_fail(call->book, ERR_ARGUMENT,
              "\"%s\" is no whole number from 0 to %d", text, most);
    return 0;
  }
  return (int)v;
}

static void read_time(const struct book_call *call, const char *text,
                      int64_t *ms) {
  struct err_info e;
  *ms = 0;
  if (strcmp(text, "none") != 0 && rule_time(text, ms, &e))
    book_fail(call->book, e.code, "%s", e.text);
}

static void read_points(const struct book_call *call, const char *text,
                        int64_t most, int64_t *hundredths) {
  struct err_info e;
  if (rule_points(text, hundredths, &e))
    book_fail(call->book, e.code, "%s", e.text);
  else if (*hundredths > most)
    book_fail(call->book, ERR_ARGUMENT, "\"%s\" is too much", text);
}

// What a mark is of; "none": of the exercise's own points.
static void read_most(const struct book_call *call, const char *text,
                      int64_t *hundredths) {
  *hundredths = 0;
  if (!strcmp(text, "none"))
    return;
  read_points(call, text, INT64_MAX, hundredths);
  if (!*hundredths && !book_has_failed(call->book))
    book_fail(call->book, ERR_ARGUMENT,
              "a mark of %s points can be nothing: --of none gives it the "
              "exercise's own",
              text);
}

static bool change_rule(const struct book_call *call, struct rule *r) {
  const char *const *o = call->options;
  int64_t percent = r->late_permyriad;
  if (o['d'])
    read_time(call, o['d'], &r->due_ms);
  if (o['l'])
    read_points(call, o['l'], 10000, &percent);
  r->late_permyriad = (int)percent;
  if (o['g'])
    r->grace_min = whole_number(call, 'g', 100000);
  if (o['c'])
    r->cutoff_h =
        strcmp(o['c'], "none") != 0 ? whole_number(call, 'c', 100000) : -1;
  if (o['t'] && !rule_find_attempt(o['t'], &r->attempt))
    book_fail(call->book, ERR_ARGUMENT,
              "\"%s\": the attempt that counts is best, last or first", o['t']);
  if (o['o'])
    read_most(call, o['o'], &r->of);
  return o['d'] || o['l'] || o['g'] || o['c'] || o['t'] || o['o'];
}

// A column that nothing was said of yet: is it an exercise's, or mistyped?
static void look_at_new(const struct book_call *call, const struct rule *r) {
  const char *name = call->words[0];
  struct err_info e;
  if (call->back->has_exercise(name, &e))
    return;
  if (!r->of)
    book_fail(call->book, ERR_NOT_FOUND,
              "%s (a column of marks of your own needs --of POINTS)", e.text);
  else if (!book_has_failed(call->book))
    say_odd(NULL, e.text);
}

// The options that a rule was given, as they were typed: "--due none --late 10".
static void add_typed(const struct book_call *call, struct str *out) {
  static const char *const names[128] = {
#define OPTION(letter, name, takes) [letter] = name,
#include "class/book/option.def"
#undef OPTION
  };
  for (const char *o = "dlgcto"; *o; o++)
    if (call->options[(int)*o])
      str_addf(out, "%s--%s %s", out->len ? " " : "", names[(int)*o],
               call->options[(int)*o]);
}

static void add_rule(const struct book_call *call, const struct rule *r) {
  struct str done = STR_INIT, typed = STR_INIT;
  add_typed(call, &typed);
  struct book_event event = {.kind = "rule",
                             .exercise =
                                 exercise_make(call->book, call->words[0]),
                             .value = rule_json(r),
                             .reason = reason_of(call, typed.data)};
  event_insert(call->book, &event);
  str_free(&typed);
  str_add(&done, "rule changed: ");
  rule_describe(r, &done);
  settle(call, event.exercise, done.data);
  str_free(&done);
}

static void do_rule(const struct book_call *call) {
  struct rule r;
  struct book_said said;
  struct str s = STR_INIT;
  int64_t exercise = exercise_find(call->book, call->words[0]);
  if (exercise)
    event_last(call->book, "rule", 0, exercise, &said);
  rule_from_json(exercise ? said.value : NULL, &r);
  if (exercise)
    book_said_free(&said);
  bool is_changed = change_rule(call, &r);
  if (!exercise)
    look_at_new(call, &r);
  str_addf(&s, "%s%s: ", call->words[0],
           exercise     ? ""
           : is_changed ? ", new in the book"
                        : ", not in the book");
  rule_describe(&r, &s);
  if (!book_has_failed(call->book))
    book_call_print(s.data);
  str_free(&s);
  if (is_changed && !book_has_failed(call->book))
    add_rule(call, &r);
}

int book_rule(const struct book_call *call) {
  return book_call_write(call, do_rule);
}

// ---- Of one learner and exercise ----

// An event of LEARNER EXERCISE, and the marks that follow of what was `done`.
static void add_event(const struct book_call *call, const char *kind,
                      json_t *value, const char *done) {
  struct book_event event = {
      .kind = kind,
      .learner = learner_need(call->book, call->words[0]),
      .exercise = exercise_need(call->book, call->words[1]),
      .value = value,
      .reason = reason_of(call, done)};
  event_insert(call->book, &event);
  if (!book_has_failed(call->book))
    settle(call, event.exercise, done);
}

static void do_extend(const struct book_call *call) {
  int64_t due_ms;
  read_time(call, call->words[2], &due_ms);
  char *time = rule_show_time(due_ms);
  char *done = due_ms ? xasprintf("extension until %s", time)
                      : xstrdup("extension taken back");
  add_event(call, "extension", json_integer(due_ms), done);
  free(done);
  free(time);
}

int book_extend(const struct book_call *call) {
  return book_call_write(call, do_extend);
}

// A mark above what is possible may be meant, one of nothing may not.
static void look_at_own(const struct book_call *call, int64_t points) {
  char text[MARK_TEXT], most[MARK_TEXT];
  int64_t learner = learner_need(call->book, call->words[0]);
  int64_t exercise = exercise_need(call->book, call->words[1]);
  if (book_has_failed(call->book))
    return;
  struct marks *m = marks_open(call->book, exercise);
  struct mark mark;
  marks_of(m, learner, &mark);
  int64_t of = mark.of ? mark.of : marks_possible(m);
  mark_free(&mark);
  marks_close(m);
  if (!of)
    book_fail(call->book, ERR_ARGUMENT,
              "nothing of %s is judged yet, so that it is %s out of nobody "
              "knows how many: class book rule %s --of POINTS says it",
              call->words[1], call->words[2], call->words[1]);
  else if (points > of) {
    char *odd = xasprintf("%s is above the %s that %s has; override with none "
                          "in its place takes it back",
                          rule_show_points(text, points),
                          rule_show_points(most, of), call->words[1]);
    say_odd(NULL, odd);
    free(odd);
  }
}

static void do_override(const struct book_call *call) {
  bool is_none = !strcmp(call->words[2], "none");
  int64_t points = 0;
  if (!*reason_of(call, ""))
    book_fail(call->book, ERR_ARGUMENT,
              "a mark of your own needs --reason TEXT, which stays with it");
  if (!is_none) {
    read_points(call, call->words[2], INT64_MAX, &points);
    look_at_own(call, points);
  }
  add_event(call, "override", is_none ? json_null() : json_integer(points),
            "a mark of one's own");
}

int book_override(const struct book_call *call) {
  return book_call_write(call, do_override);
}

static void do_comment(const struct book_call *call) {
  json_t *text = json_string(call->words[2]);
  if (!text)
    book_fail(call->book, ERR_ARGUMENT, "a comment is text in UTF-8");
  add_event(call, "comment", text, "comment");
}

int book_comment(const struct book_call *call) {
  return book_call_write(call, do_comment);
}

// ---- Hand-ins and verdicts ----

static void do_take(const struct book_call *call) {
  struct book_changes changes = {0};
  struct take q = {.folder = call->options['f'],
                   .files = call->words,
                   .file_count = call->count,
                   .odd = say_odd,
                   .changed = book_call_changed,
                   .context = &changes};
  if (!q.folder && !q.file_count)
    book_fail(call->book, ERR_ARGUMENT,
              "take needs --from FOLDER, a journal, or both");
  else
    take_in(call->book, &q);
  if (!book_has_failed(call->book))
    printf("%d new hand-in%s, %d new verdict%s, %d new learner%s; %d mark%s "
           "changed.\n",
           q.submissions, plural(q.submissions), q.verdicts, plural(q.verdicts),
           q.learners, plural(q.learners), changes.count,
           plural(changes.count));
}

int book_take(const struct book_call *call) {
  return book_call_write(call, do_take);
}

// Without --apply all of it is taken back.
static void do_regrade(const struct book_call *call) {
  struct book_changes changes = {0};
  struct regrade q = {.exercise = call->words[0],
                      .reason = call->options['r'],
                      .changed = book_call_changed,
                      .context = &changes};
  if (call->options['a'] && !*reason_of(call, ""))
    book_fail(call->book, ERR_ARGUMENT,
              "--apply needs --reason TEXT, which stays with the marks");
  regrade(call->book, &q);
  if (book_has_failed(call->book))
    return;
  printf("%d mark%s %s.\n", changes.count, plural(changes.count),
         call->options['a'] ? "changed" : "would change");
  if (q.not_judged)
    printf("%d hand-in%s no verdict of the newest version%s%.12s, and keep%s "
           "the one they have: warpshop grade --from FOLDER judges them.\n",
           q.not_judged, q.not_judged == 1 ? " has" : "s have",
           q.version[0] ? " " : "", q.version, q.not_judged == 1 ? "s" : "");
}

int book_regrade(const struct book_call *call) {
  struct book_call once = *call;
  if (call->options['a'])
    return book_call_write(call, do_regrade);
  struct err_info e;
  book_begin(once.book, true);
  do_regrade(&once);
  enum err err = book_undo(once.book, &e);
  if (err)
    return book_call_fail(err, &e);
  printf("Nothing was changed; --apply --reason TEXT makes it so.\n");
  return 0;
}

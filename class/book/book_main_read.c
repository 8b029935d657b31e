// SPDX-License-Identifier: Apache-2.0
// The commands that read a book, copy it, or take a learner out of it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "class/book/book_main.h"
#include "class/book/evidence.h"
#include "class/book/export.h"
#include "class/book/person.h"
#include "class/book/return.h"
#include "class/book/sources.h"
#include "class/book/sql.h"
#include "class/book/worksheet.h"
#include "grade/command.h"

// Ends a transaction that read; the exit code.
enum { MAX_WORKSHEET_BYTES = 16 << 20 };

static int end(const struct book_call *call) {
  struct err_info e;
  enum err err = book_undo(call->book, &e);
  return err ? book_call_fail(err, &e) : 0;
}

static int write_file(const char *path, const char *text) {
  struct err_info e;
  enum err err = book_check_target(path, &e);
  if (!err)
    err = file_write(path, text, strlen(text), 0600, &e);
  return err ? book_call_fail(err, &e) : 0;
}

// ---- Marks ----

static void print_row(const char *learner, const char *exercise,
                      const json_t *mark) {
  const json_t *value = json_object_get(mark, "mark");
  const char *comment = json_string_value(json_object_get(mark, "comment"));
  const char *note = json_string_value(json_object_get(mark, "note"));
  int unjudged = (int)json_integer_value(json_object_get(mark, "unjudged"));
  struct str s = STR_INIT;
  str_addf(&s, "%-16s %-20s ", learner, exercise);
  if (json_is_null(value))
    str_add(&s, "     -   ");
  else
    str_addf(&s, "%8g of %g", json_number_value(value),
             json_number_value(json_object_get(mark, "of")));
  if (json_is_true(json_object_get(mark, "is_own")))
    str_add(&s, "  own mark");
  if (unjudged)
    str_addf(&s, "  %d not judged", unjudged);
  if (json_number_value(json_object_get(mark, "late_off")) > 0)
    str_addf(&s, "  late: -%g",
             json_number_value(json_object_get(mark, "late_off")));
  if (note)
    str_addf(&s, "  %s", note);
  if (comment)
    str_addf(&s, "  \"%s\"", comment);
  book_call_print(s.data);
  str_free(&s);
}

static void print_marks(const json_t *o) {
  json_t *learner, *mark;
  const char *exercise;
  size_t i;
  int count = 0;
  json_array_foreach(json_object_get(o, "learners"), i, learner) {
    json_object_foreach(json_object_get(learner, "marks"), exercise, mark) {
      print_row(json_string_value(json_object_get(learner, "learner")),
                exercise, mark);
      count++;
    }
  }
  if (!count)
    puts("No marks yet: warpshop class book take takes in what was handed in.");
}

int book_marks(const struct book_call *call) {
  book_begin(call->book, false);
  json_t *o = export_marks(call->book, call->options['x'], call->options['L']);
  int code = end(call);
  if (!code && call->options['j']) {
    char *text = json_dumps(o, JSON_INDENT(2));
    puts(text);
    free(text);
  } else if (!code) {
    print_marks(o);
  }
  json_decref(o);
  return code;
}

static void print_comments(const struct book_call *call, int64_t learner,
                           int64_t exercise) {
  for (struct sql_rows r = sql_rows(
           call->book,
           "SELECT number, author, value FROM event WHERE kind = 'comment'"
           " AND learner = ? AND exercise = ? ORDER BY number",
           "ii", learner, exercise);
       sql_next(&r);) {
    char *text = xasprintf("  comment: %s  [event %lld, %s]", sql_column(&r, 2),
                           (long long)sql_integer(&r, 0), sql_column(&r, 1));
    book_call_print(text);
    free(text);
  }
}

int book_explain(const struct book_call *call) {
  book_begin(call->book, false);
  int64_t learner = learner_need(call->book, call->words[0]);
  int64_t exercise = exercise_need(call->book, call->words[1]);
  if (!book_has_failed(call->book)) {
    struct marks *m = marks_open(call->book, exercise);
    struct mark mark;
    marks_of(m, learner, &mark);
    printf("%s, %s\n", call->words[0], call->words[1]);
    for (char *line = mark.steps.data, *next; *line; line = next) {
      next = line + strcspn(line, "\n");
      if (*next)
        *next++ = 0;
      char *text = xasprintf("  %s", line);
      book_call_print(text);
      free(text);
    }
    print_comments(call, learner, exercise);
    mark_free(&mark);
    marks_close(m);
  }
  return end(call);
}

int book_log(const struct book_call *call) {
  book_begin(call->book, false);
  int64_t learner = call->count ? learner_need(call->book, call->words[0]) : 0;
  for (struct sql_rows r = sql_rows(
           call->book,
           "SELECT number, v.time_ms, author, kind, l.name, x.name, value,"
           " reason FROM event v LEFT JOIN learner l ON l.id = v.learner"
           " LEFT JOIN exercise x ON x.id = v.exercise"
           " WHERE ?1 = 0 OR v.learner = ?1 ORDER BY number",
           "i", learner);
       sql_next(&r);) {
    char *time = rule_show_time(sql_integer(&r, 1));
    char *text = xasprintf(
        "%6lld  %s  %-10s %-10s %s %s %s%s%s", (long long)sql_integer(&r, 0),
        time, sql_column(&r, 2), sql_column(&r, 3), sql_column(&r, 4),
        sql_column(&r, 5), sql_column(&r, 6), *sql_column(&r, 7) ? "  # " : "",
        sql_column(&r, 7));
    book_call_print(text);
    free(text);
    free(time);
  }
  return end(call);
}

// ---- Out of the book ----

static void say_row(void *context, const char *text) {
  (void)context;
  command_say(0, text);
}

static char *fill_worksheet(const struct book_call *call) {
  struct worksheet q = {.name = call->options['f'],
                        .exercise = call->options['x'],
                        .odd = say_row};
  struct err_info e;
  char *text = NULL;
  if (file_read(q.name, MAX_WORKSHEET_BYTES, &text, &q.bytes, &e)) {
    book_fail(call->book, e.code, "%s", e.text);
    return NULL;
  }
  q.text = text;
  char *filled = worksheet_fill(call->book, &q);
  free(text);
  if (!filled)
    return NULL;
  char *said = xasprintf("%d mark%s filled in, %d row%s to look at", q.marked,
                         q.marked == 1 ? "" : "s", q.odd_count,
                         q.odd_count == 1 ? "" : "s");
  command_say(0, said);
  free(said);
  return filled;
}

int book_export(const struct book_call *call) {
  const char *form = call->options['F'];
  bool is_sheet = form && !strcmp(form, "moodle-worksheet");
  if (!form)
    return command_say(EXIT_WRONG_USAGE, "book export needs --form FORM, such "
                                         "as canvas, moodle or nbgrader");
  if (is_sheet != (call->options['f'] != NULL) ||
      (is_sheet && (!call->options['x'] || call->options['L'])))
    return command_say(EXIT_WRONG_USAGE,
                       "book export --form moodle-worksheet fills in what "
                       "Moodle gave: --from WORKSHEET.csv --exercise NAME, for "
                       "all learners");
  book_begin(call->book, false);
  char *text = is_sheet ? fill_worksheet(call)
                        : export_form(call->book, form, call->options['x'],
                                      call->options['L']);
  int code = end(call);
  if (!code && call->count)
    code = write_file(call->words[0], text);
  else if (!code)
    fputs(text, stdout);
  free(text);
  return code;
}

int book_sources(const struct book_call *call) {
  struct sources q = {.folder = call->words[0],
                      .exercise = call->options['x'],
                      .is_all = call->options['k'] != NULL};
  book_begin(call->book, false);
  sources_write(call->book, &q);
  int code = end(call);
  if (!code)
    printf("%d hand-in%s in %d folder%s: warpshop grade --from %s/1 judges the "
           "first.\n",
           q.count, q.count == 1 ? "" : "s", q.rounds, q.rounds == 1 ? "" : "s",
           q.folder);
  return code;
}

static int erase(const struct book_call *call) {
  struct erased n;
  struct err_info e;
  enum err err = person_erase(call->book, call->words[0], &n, &e);
  if (err)
    return book_call_fail(err, &e);
  printf(
      "Gone: the names and numbers, %d hand-in%s, %d verdict%s, %d event%s.\n"
      "What stays: %d mark%s as numbers of nobody",
      n.hand_ins, n.hand_ins == 1 ? "" : "s", n.verdicts,
      n.verdicts == 1 ? "" : "s", n.events, n.events == 1 ? "" : "s", n.marks,
      n.marks == 1 ? "" : "s");
  if (n.shared)
    printf("; %d hand-in%s of a group, which %s its other members'", n.shared,
           n.shared == 1 ? "" : "s", n.shared == 1 ? "is" : "are");
  puts(".\nNot in this file, and not touched: backups, exported tables, the "
       "room, the\nfolder of hand-ins, and what others wrote as a reason.");
  return 0;
}

int book_person(const struct book_call *call) {
  const char *path = call->options['e'];
  if (!path == !call->options['E'])
    return command_say(EXIT_WRONG_USAGE,
                       "book person takes --export FILE or --erase");
  if (!path)
    return erase(call);
  book_begin(call->book, false);
  json_t *o = person_export(call->book, call->words[0]);
  int code = end(call);
  char *text = code ? NULL : json_dumps(o, JSON_INDENT(2));
  if (!code)
    code = write_file(path, text);
  if (!code)
    printf("%s holds all that the book has of %s.\n", path, call->words[0]);
  free(text);
  json_decref(o);
  return code;
}

int book_copy(const struct book_call *call) {
  struct err_info e;
  enum err err = book_backup(call->book, call->words[0], &e);
  if (err)
    return book_call_fail(err, &e);
  printf("%s is a copy of it, and a gradebook.\n", call->words[0]);
  return 0;
}

// ---- Is it sound? ----

static void say_wrong(void *context, const char *text) {
  int *count = context;
  ++*count;
  char *line = xasprintf("! %s", text);
  book_call_print(line);
  free(line);
}

static void say_difference(void *context, const struct mark_change *change) {
  char *kept = change->from ? json_dumps(change->from, JSON_COMPACT) : NULL;
  char *now = change->to ? json_dumps(change->to, JSON_COMPACT) : NULL;
  char *text = xasprintf("%s, %s: kept as %s, and the evidence gives %s",
                         change->learner, change->exercise,
                         kept ? kept : "no mark", now ? now : "no mark");
  say_wrong(context, text);
  free(kept);
  free(now);
  free(text);
}

int book_verify(const struct book_call *call) {
  struct err_info e;
  int wrong = 0, code = 0;
  enum err err = book_check(call->book, say_wrong, &wrong, &e);
  if (err)
    return book_call_fail(err, &e);
  book_begin(call->book, false);
  evidence_check(call->book, say_wrong, &wrong);
  if (call->options['R'])
    marks_compare(call->book, say_difference, &wrong);
  int64_t events = sql_number(call->book, 0, "SELECT count(*) FROM event", "");
  int64_t marks = sql_number(
      call->book, 0, "SELECT count(*) FROM event WHERE kind = 'mark'", "");
  code = end(call);
  if (!code && wrong)
    return 1;
  if (!code)
    printf("Sound: %lld events, %lld of them marks%s.\n", (long long)events,
           (long long)marks,
           call->options['R'] ? "; all marks follow from the evidence" : "");
  return code;
}

// ---- Back to the room ----

struct giving {
  const struct book_return *back;
  void *room;
  int given, missing, due; // marks, and deadlines
};

static bool is_same(const json_t *a, const json_t *b) {
  return a && b && json_equal(a, b);
}

// A learner of the book may have left the room, or never have been in it: that is said
// once.
static enum err give_all(struct giving *g, const json_t *list,
                         struct err_info *e) {
  const json_t *gone = NULL, *one;
  size_t i;
  json_array_foreach(list, i, one) {
    const json_t *learner = json_object_get(one, "learner");
    const char *kind = json_string_value(json_object_get(one, "kind"));
    bool is_mark = !strcmp(kind, "mark");
    enum err err = is_same(gone, learner)
                       ? ERR_NOT_FOUND
                       : g->back->give(g->room, json_string_value(learner),
                                       kind, json_object_get(one, "body"), e);
    if (err && err != ERR_NOT_FOUND)
      return err;
    g->given += !err && is_mark;
    g->due += !err && !is_mark;
    g->missing += err && is_mark;
    if (err && !is_same(gone, learner))
      command_say(0, e->text);
    gone = err ? learner : gone;
  }
  return ERR_OK;
}

int book_return(const struct book_call *call) {
  struct giving g = {.back = call->back};
  struct err_info e;
  book_begin(call->book, false);
  json_t *list = return_bodies(call->book);
  int code = end(call);
  enum err err = code ? ERR_OK : g.back->open(call->words[0], &g.room, &e);
  if (!code && !err) {
    err = give_all(&g, list, &e);
    g.back->close(g.room);
  }
  json_decref(list);
  if (err)
    return book_call_fail(err, &e);
  if (!code)
    printf("%d mark%s given back; %d could not be. %d deadline%s told.\n",
           g.given, g.given == 1 ? "" : "s", g.missing, g.due,
           g.due == 1 ? "" : "s");
  return code ? code : g.missing > 0;
}

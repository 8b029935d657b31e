// SPDX-License-Identifier: Apache-2.0
#include "class/book/person.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "class/book/evidence.h"
#include "class/book/mark.h"
#include "class/book/sql.h"
#include "grade/input/input.h"

// ---- Export ----

// Each row of a query as an object of its columns' names.
static json_t *rows_json(struct book *b, const char *sql, int64_t learner) {
  json_t *list = json_array();
  for (struct sql_rows r = sql_rows(b, sql, "i", learner); sql_next(&r);) {
    json_t *o = json_object();
    for (int i = 0; i < sqlite3_column_count(r.statement); i++) {
      const char *name = sqlite3_column_name(r.statement, i);
      int type = sqlite3_column_type(r.statement, i);
      json_t *v = type == SQLITE_INTEGER ? json_integer(sql_integer(&r, i))
                  : type == SQLITE_FLOAT ? json_real(sql_double(&r, i))
                  : type == SQLITE_NULL  ? json_null()
                                         : json_string(sql_column(&r, i));
      // What is JSON itself stays JSON.
      if (type == SQLITE_TEXT && !strcmp(name, "json")) {
        json_decref(v);
        v = json_loads(sql_column(&r, i), 0, NULL);
      }
      json_object_set_new(o, name, v ? v : json_null());
    }
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *marks_json(struct book *b, int64_t learner) {
  json_t *list = json_array();
  for (struct sql_rows r =
           sql_rows(b, "SELECT id, name FROM exercise ORDER BY name", "");
       sql_next(&r);) {
    struct marks *m = marks_open(b, sql_integer(&r, 0));
    struct mark mark;
    marks_of(m, learner, &mark);
    if (mark.is_there)
      json_array_append_new(
          list, json_pack("{s:s,s:o,s:s}", "exercise", sql_column(&r, 1),
                          "mark_in_hundredths", mark_json(&mark), "explain",
                          mark.steps.data));
    mark_free(&mark);
    marks_close(m);
  }
  return list;
}

json_t *person_export(struct book *b, const char *learner) {
  int64_t id = learner_need(b, learner);
  if (book_has_failed(b))
    return NULL;
  json_t *o =
      json_pack("{s:s,s:s}", "schema", "warpshop.person/1", "learner", learner);
  static const struct {
    const char *name, *sql;
  } parts[] = {
      {"names", "SELECT name, full_name FROM learner WHERE id = ?"},
      {"numbers", "SELECT system, field, value FROM alias WHERE learner = ?"},
      {"hand-ins", "SELECT s.number, e.name exercise, sha256, time_ms,"
                   " time_from, attempt, receipt, source FROM submission s"
                   " JOIN exercise e ON e.id = s.exercise WHERE learner = ?"},
      {"verdicts", "SELECT number, json FROM verdict WHERE learner = ?"},
      {"events", "SELECT number, time_ms, author, kind, e.name exercise,"
                 " value, reason FROM event v LEFT JOIN exercise e"
                 " ON e.id = v.exercise WHERE learner = ? ORDER BY number"},
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    json_object_set_new(o, parts[i].name, rows_json(b, parts[i].sql, id));
  json_object_set_new(o, "marks", marks_json(b, id));
  if (!book_has_failed(b))
    return o;
  json_decref(o);
  return NULL;
}

// ---- Erasure ----

// A verdict that stays with another member of the group, without the name.
static void strip_verdict(struct book *b, int64_t number, const char *json,
                          int64_t heir) {
  char hash[SEED_HEX];
  json_t *o = json_loads(json, 0, NULL);
  json_object_set_new(json_object_get(o, "evidence"), "learner", json_null());
  json_object_set_new(o, "submission", json_string("of a group"));
  char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
  sha256_hex(text, strlen(text), hash);
  sql_run(b,
          "UPDATE OR IGNORE verdict SET learner = ?, json = ?, json_sha256 = ?"
          " WHERE number = ?",
          "itti", heir, text, hash, number);
  sql_run(b, "UPDATE event SET learner = ? WHERE number = ?", "ii", heir,
          number);
  free(text);
  json_decref(o);
}

// What the learner's group needs for the marks of the others goes to one of them.
static void hand_on(struct book *b, int64_t learner, int64_t exercise,
                    struct erased *out) {
  int count;
  struct marks *m = marks_open(b, exercise);
  int64_t *group = marks_group(m, learner, &count);
  int64_t heir = count > 1 ? group[1] : 0;
  free(group);
  marks_close(m);
  if (!heir)
    return;
  out->shared += (int)sql_number(
      b, 0,
      "SELECT count(*) FROM submission WHERE learner = ? AND exercise = ?",
      "ii", learner, exercise);
  sql_run(b,
          "UPDATE event SET learner = ?1 WHERE number IN (SELECT number FROM"
          " submission WHERE learner = ?2 AND exercise = ?3)",
          "iii", heir, learner, exercise);
  // Their numbers would meet those of the heir's own receipts.
  sql_run(b,
          "UPDATE submission SET learner = ?1, receipt = NULL, attempt = NULL"
          " WHERE learner = ?2 AND exercise = ?3",
          "iii", heir, learner, exercise);
  for (struct sql_rows r =
           sql_rows(b,
                    "SELECT number, json FROM verdict WHERE learner = ?"
                    " AND exercise = ?",
                    "ii", learner, exercise);
       sql_next(&r);)
    strip_verdict(b, sql_integer(&r, 0), sql_column(&r, 1), heir);
}

static void keep_mark(struct book *b, int64_t learner, int64_t exercise,
                      struct erased *out) {
  json_t *mark = mark_kept(b, learner, exercise);
  if (mark) {
    sql_run(
        b, "INSERT INTO statistic VALUES (?, ?, ?)", "idd", exercise,
        (double)json_integer_value(json_object_get(mark, "mark")) / MARK_UNIT,
        (double)json_integer_value(json_object_get(mark, "of")) / MARK_UNIT);
    out->marks++;
  }
  json_decref(mark);
}

static int remove_rows(struct book *b, const char *sql, int64_t learner) {
  sql_run(b, sql, "i", learner);
  return book_has_failed(b) ? 0 : sqlite3_changes(book_database(b));
}

static void erase(struct book *b, int64_t id, struct erased *out) {
  struct sql_rows r = sql_rows(b, "SELECT id FROM exercise", "");
  sql_run(b, "UPDATE keeping SET is_open = 1, wants_vacuum = 1", "");
  while (sql_next(&r)) {
    keep_mark(b, id, sql_integer(&r, 0), out);
    hand_on(b, id, sql_integer(&r, 0), out);
  }
  out->hand_ins =
      remove_rows(b, "DELETE FROM submission WHERE learner = ?", id);
  out->verdicts = remove_rows(b, "DELETE FROM verdict WHERE learner = ?", id);
  out->events = remove_rows(b, "DELETE FROM event WHERE learner = ?", id);
  remove_rows(b, "DELETE FROM alias WHERE learner = ?", id);
  remove_rows(b, "DELETE FROM learner WHERE id = ?", id);
  sql_run(b, "UPDATE keeping SET is_open = 0", "");
  struct book_event event = {.kind = "erasure",
                             .value =
                                 json_pack("{s:i,s:i}", "hand-ins",
                                           out->hand_ins, "marks", out->marks)};
  event_insert(b, &event);
  // The marks of the group are the same, and made of what stayed.
  for (r = sql_rows(b, "SELECT id FROM exercise", ""); sql_next(&r);)
    marks_settle(b, sql_integer(&r, 0), "a member of the group was erased",
                 NULL, NULL);
}

enum err person_erase(struct book *b, const char *learner, struct erased *out,
                      struct err_info *e) {
  *out = (struct erased){0};
  book_begin(b, true);
  int64_t id = learner_need(b, learner);
  if (id)
    erase(b, id, out);
  enum err err = book_end(b, e);
  return err ? err : book_vacuum(b, e);
}

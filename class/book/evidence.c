// SPDX-License-Identifier: Apache-2.0
#include "class/book/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "class/book/sql.h"
#include "grade/input/input.h"

enum { MAX_NAME = 64 };

// ---- Learners and exercises ----

bool learner_is_name(const char *name) {
  size_t n = strlen(name);
  if (!n || n > MAX_NAME || name[0] == '.')
    return false;
  for (const unsigned char *at = (const unsigned char *)name; *at; at++)
    if (*at < ' ' || *at == 0x7F || *at == '/')
      return false;
  return true;
}

int64_t learner_find(struct book *b, const char *name) {
  return sql_number(b, 0, "SELECT id FROM learner WHERE name = ?", "t", name);
}

int64_t learner_need(struct book *b, const char *name) {
  int64_t id = learner_find(b, name);
  if (!id)
    book_fail(b, ERR_NOT_FOUND,
              "%s: there is no such learner; warpshop class book marks lists "
              "them",
              name);
  return id;
}

int64_t learner_make(struct book *b, const char *name) {
  if (!learner_is_name(name))
    book_fail(b, ERR_ARGUMENT, "\"%s\" can be no learner's name", name);
  sql_run(b, "INSERT INTO learner (name) VALUES (?) ON CONFLICT DO NOTHING",
          "t", name);
  return learner_find(b, name);
}

int64_t exercise_find(struct book *b, const char *name) {
  return sql_number(b, 0, "SELECT id FROM exercise WHERE name = ?", "t", name);
}

int64_t exercise_need(struct book *b, const char *name) {
  int64_t id = exercise_find(b, name);
  if (!id)
    book_fail(b, ERR_NOT_FOUND,
              "%s: the book has no such exercise; warpshop class book rule "
              "begins one",
              name);
  return id;
}

int64_t exercise_make(struct book *b, const char *name) {
  if (!learner_is_name(name))
    book_fail(b, ERR_ARGUMENT, "\"%s\" can be no exercise's name", name);
  sql_run(b, "INSERT INTO exercise (name) VALUES (?) ON CONFLICT DO NOTHING",
          "t", name);
  return exercise_find(b, name);
}

// ---- Events ----

static void insert(struct book *b, const struct book_event *event,
                   int64_t time_ms) {
  char *value = event->value
                    ? json_dumps(event->value, JSON_COMPACT | JSON_ENCODE_ANY)
                    : xstrdup("");
  sql_run(b,
          "INSERT INTO event (time_ms, author, kind, learner, exercise, value,"
          " reason) VALUES (?, ?, ?, nullif(?, 0), nullif(?, 0), ?, ?)",
          "ittiitt", time_ms, book_author(b), event->kind, event->learner,
          event->exercise, value, event->reason ? event->reason : "");
  free(value);
}

int64_t event_insert(struct book *b, const struct book_event *event) {
  int64_t now = clock_day_ms();
  int64_t last = sql_number(
      b, now, "SELECT time_ms FROM event ORDER BY number DESC LIMIT 1", "");
  if (now < last) {
    struct book_event clock = {
        .kind = "clock",
        .value = json_pack("{s:I}", "back_ms", (json_int_t)(last - now))};
    insert(b, &clock, now);
    json_decref(clock.value);
  }
  insert(b, event, now);
  json_decref(event->value);
  return book_has_failed(b) ? 0 : sqlite3_last_insert_rowid(book_database(b));
}

bool event_last(struct book *b, const char *kind, int64_t learner,
                int64_t exercise, struct book_said *out) {
  *out = (struct book_said){0};
  struct sql_rows r =
      sql_rows(b,
               "SELECT number, time_ms, author, reason, value FROM event"
               " WHERE kind = ? AND learner IS nullif(?, 0)"
               " AND exercise IS nullif(?, 0) ORDER BY number DESC LIMIT 1",
               "tii", kind, learner, exercise);
  if (!sql_next(&r))
    return false;
  out->number = sql_integer(&r, 0);
  out->time_ms = sql_integer(&r, 1);
  out->author = xstrdup(sql_column(&r, 2));
  out->reason = xstrdup(sql_column(&r, 3));
  out->value = json_loads(sql_column(&r, 4), JSON_DECODE_ANY, NULL);
  sql_end(&r);
  return true;
}

void book_said_free(struct book_said *s) {
  free(s->author);
  free(s->reason);
  json_decref(s->value);
  *s = (struct book_said){0};
}

// ---- Hand-ins ----

// The same file again is the same hand-in, unless a receipt tells them apart.
static bool has_submission(struct book *b, const struct book_submission *s) {
  if (s->attempt)
    return sql_number(b, 0,
                      "SELECT count(*) FROM submission WHERE learner = ?"
                      " AND exercise = ? AND attempt = ?",
                      "iii", s->learner, s->exercise, (int64_t)s->attempt) > 0;
  return sql_number(b, 0,
                    "SELECT count(*) FROM submission WHERE learner = ?"
                    " AND exercise = ? AND sha256 = ?"
                    " AND (time_from <> 'taken' OR time_from = ?)",
                    "iitt", s->learner, s->exercise, s->sha256,
                    s->time_from) > 0;
}

bool evidence_add_submission(struct book *b, const struct book_submission *s) {
  if (has_submission(b, s))
    return false;
  struct book_event event = {.kind = "hand-in",
                             .learner = s->learner,
                             .exercise = s->exercise,
                             .value = json_pack("{s:s}", "sha256", s->sha256)};
  int64_t number = event_insert(b, &event);
  char hash[SEED_HEX] = "";
  if (s->source)
    sha256_hex(s->source, strlen(s->source), hash);
  sql_run(b,
          "INSERT INTO submission VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0),"
          " ?, ?, nullif(?, ''))",
          "iiittitittt", number, s->learner, s->exercise, s->sha256,
          s->kind ? s->kind : ".cu", s->time_ms, s->time_from,
          (int64_t)s->attempt, s->receipt, s->source, hash);
  return true;
}

// ---- Verdicts ----

static const char *text_at(const json_t *o, const char *name) {
  const char *text = json_string_value(json_object_get(o, name));
  return text ? text : "";
}

static double number_at(const json_t *o, const char *name) {
  const json_t *v = json_object_get(o, name);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static bool has_verdict(struct book *b, int64_t learner, const char *hash) {
  return sql_number(b, 0,
                    "SELECT count(*) FROM verdict WHERE learner = ?"
                    " AND json_sha256 = ?",
                    "it", learner, hash) > 0;
}

static void insert_verdict(struct book *b, const struct book_event *event,
                           const json_t *verdict, const char *json,
                           const char *hash) {
  const json_t *evidence = json_object_get(verdict, "evidence");
  const json_t *versions = json_object_get(evidence, "versions");
  const json_t *score = json_object_get(verdict, "score");
  int64_t number = event_insert(b, event);
  sql_run(b, "INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          "iiitddtttttt", number, event->learner, event->exercise,
          text_at(evidence, "source_sha256"), number_at(score, "earned"),
          number_at(score, "possible"), text_at(versions, "warpshop"),
          text_at(versions, "exercise"), text_at(evidence, "seed"),
          text_at(evidence, "submission_seed"), hash, json);
}

bool evidence_add_verdict(struct book *b, int64_t learner,
                          const json_t *verdict) {
  char hash[SEED_HEX];
  const json_t *evidence = json_object_get(verdict, "evidence");
  if (!text_at(evidence, "source_sha256")[0] ||
      !text_at(verdict, "exercise")[0]) {
    book_fail(b, ERR_ARGUMENT,
              "a verdict without an exercise or the hash of its source");
    return false;
  }
  char *json = json_dumps(verdict, JSON_COMPACT | JSON_SORT_KEYS);
  sha256_hex(json, strlen(json), hash);
  bool is_new = !has_verdict(b, learner, hash);
  if (is_new) {
    struct book_event event = {
        .kind = "verdict",
        .learner = learner,
        .exercise = exercise_make(b, text_at(verdict, "exercise")),
        .value = json_pack("{s:s}", "verdict", text_at(verdict, "verdict"))};
    insert_verdict(b, &event, verdict, json, hash);
  }
  free(json);
  return is_new;
}

// ---- Is it what it was? ----

static void check_hash(const struct sql_rows *r, const char *what,
                       void (*say)(void *context, const char *),
                       void *context) {
  char hash[SEED_HEX];
  const char *text = sql_column(r, 2);
  sha256_hex(text, strlen(text), hash);
  if (!strcmp(hash, sql_column(r, 1)))
    return;
  char *said = xasprintf("%s %lld is not what its hash says", what,
                         (long long)sql_integer(r, 0));
  say(context, said);
  free(said);
}

void evidence_check(struct book *b, void (*say)(void *context, const char *),
                    void *context) {
  struct sql_rows r =
      sql_rows(b, "SELECT number, json_sha256, json FROM verdict", "");
  while (sql_next(&r))
    check_hash(&r, "verdict", say, context);
  r = sql_rows(b,
               "SELECT number, text_sha256, source FROM submission"
               " WHERE source IS NOT NULL",
               "");
  while (sql_next(&r))
    check_hash(&r, "hand-in", say, context);
}

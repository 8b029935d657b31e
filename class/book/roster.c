// SPDX-License-Identifier: Apache-2.0
#include "class/book/roster.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "class/book/evidence.h"
#include "class/book/sql.h"
#include "class/book/table.h"

enum column_kind { USER, NAME, KEY };

static const struct column {
  const char *system, *name;
  enum column_kind is;
} columns[] = {
#define COLUMN(system, name, is) {system, name, is},
#include "class/book/roster.def"
#undef COLUMN
};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct import {
  struct book *book;
  struct roster *q;
  struct table table;
  int at[COLUMNS];  // where the file has it; -1: it has not
  int user;         // the column that was asked for; -1: none was
  struct map *seen; // user names of this file
};

static void tell(struct import *i, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void tell(struct import *i, int line, const char *fmt, ...) {
  struct str s = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  if (line)
    str_addf(&s, "%s:%d: ", i->q->name, line);
  str_addv(&s, fmt, ap);
  va_end(ap);
  i->q->odd(i->q->context, s.data);
  str_free(&s);
}

// The system that most of the columns belong to; NULL: none.
static const char *find_system(const struct table *t) {
  static const char *const systems[] = {"canvas", "moodle"};
  const char *best = NULL;
  int most = 1;
  for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
    int n = 0;
    for (int c = 0; c < COLUMNS; c++)
      n += !strcmp(columns[c].system, systems[s]) &&
           table_column(t, columns[c].name) >= 0;
    if (n > most) {
      most = n;
      best = systems[s];
    }
  }
  return best;
}

static bool find_columns(struct import *i) {
  struct roster *q = i->q;
  bool has_user = false;
  q->system = find_system(&i->table);
  if (!q->system) {
    book_fail(i->book, ERR_ARGUMENT,
              "%s: these are no columns of Canvas or Moodle: Canvas writes "
              "Student, ID, SIS Login ID, Section; Moodle First name, Last "
              "name, Username, Email address, or Identifier, Full name",
              q->name);
    return false;
  }
  for (int c = 0; c < COLUMNS; c++) {
    i->at[c] = strcmp(columns[c].system, q->system) != 0
                   ? -1
                   : table_column(&i->table, columns[c].name);
    has_user |= i->at[c] >= 0 && columns[c].is == USER;
  }
  i->user = q->user ? table_column(&i->table, q->user) : -1;
  if (q->user ? i->user < 0 : !has_user)
    book_fail(i->book, ERR_ARGUMENT,
              "%s: there is no column %s with user names; --user COLUMN names "
              "another",
              q->name, q->user ? q->user : "");
  return !book_has_failed(i->book);
}

// "anna" of "anna@example.org"; to be freed.
static char *user_of(const struct import *i, const struct table_row *row) {
  const char *text = table_cell(row, i->user);
  for (int c = 0; c < COLUMNS && i->user < 0 && !*text; c++)
    if (columns[c].is == USER)
      text = table_cell(row, i->at[c]);
  return xstrndup(text, strcspn(text, "@"));
}

static char *name_of(const struct import *i, const struct table_row *row) {
  struct str s = STR_INIT;
  for (int c = 0; c < COLUMNS; c++) {
    const char *part = columns[c].is == NAME ? table_cell(row, i->at[c]) : "";
    if (*part)
      str_addf(&s, "%s%s", s.len ? " " : "", part);
  }
  return s.len ? str_take(&s) : xstrdup("");
}

// Canvas's own rows: points, posting policies, and the student that tests a course.
static bool is_learner(const struct import *i, const struct table_row *row) {
  int student = table_column(&i->table, "Student");
  int id = table_column(&i->table, "ID");
  if (strcmp(i->q->system, "canvas") != 0)
    return true;
  return *table_cell(row, id) &&
         strcmp(table_cell(row, student), "Student, Test") != 0;
}

// A number of a system is one learner's.
static bool is_others(struct import *i, const struct table_row *row,
                      const char *user) {
  for (int c = 0; c < COLUMNS; c++) {
    const char *value = table_cell(row, i->at[c]);
    bool is_number = !strcmp(columns[c].name, "ID") ||
                     !strcmp(columns[c].name, "Identifier") ||
                     !strcmp(columns[c].name, "ID number");
    if (!is_number || !*value)
      continue;
    char *other = sql_text(
        i->book,
        "SELECT name FROM alias JOIN learner ON id = learner WHERE system = ?"
        " AND field = ? AND value = ? AND name <> ?",
        "tttt", columns[c].system, columns[c].name, value, user);
    if (other) {
      tell(i, row->line, "%s %s is %s's already, and here %s's",
           columns[c].name, value, other, user);
      free(other);
      return true;
    }
  }
  return false;
}

static bool is_odd(struct import *i, const struct table_row *row,
                   const char *user, const char *name) {
  int *before = map_get(i->seen, user, strlen(user));
  if (!*user)
    tell(i, row->line, "no user name: %s", *name ? name : "a row without one");
  else if (!learner_is_name(user))
    tell(i, row->line, "\"%s\" can be no user's name", user);
  else if (before)
    tell(i, row->line, "%s is in line %d as well", user, *before);
  else
    return is_others(i, row, user);
  return true;
}

static void take_row(struct import *i, struct table_row *row) {
  char *user = user_of(i, row), *name = name_of(i, row);
  if (is_odd(i, row, user, name)) {
    i->q->odd_count++;
  } else {
    map_set(i->seen, user, strlen(user), &row->line);
    i->q->rows++;
    i->q->added += !learner_find(i->book, user);
    int64_t id = learner_make(i->book, user);
    if (*name)
      sql_run(i->book, "UPDATE learner SET full_name = ? WHERE id = ?", "ti",
              name, id);
    for (int c = 0; c < COLUMNS; c++)
      if (*table_cell(row, i->at[c]))
        sql_run(i->book, "INSERT OR REPLACE INTO alias VALUES (?, ?, ?, ?)",
                "ittt", id, columns[c].system, columns[c].name,
                table_cell(row, i->at[c]));
  }
  free(user);
  free(name);
}

static void tell_missing(struct import *i) {
  for (struct sql_rows r =
           sql_rows(i->book, "SELECT name FROM learner ORDER BY name", "");
       sql_next(&r);) {
    const char *name = sql_column(&r, 0);
    if (!map_get(i->seen, name, strlen(name)))
      tell(i, 0, "%s is in the book, and not in %s", name, i->q->name);
  }
}

static void take_rows(struct import *i) {
  i->seen = map_new();
  for (int k = 0; k < i->table.count; k++)
    if (is_learner(i, &i->table.rows[k]))
      take_row(i, &i->table.rows[k]);
  tell_missing(i);
  map_free(i->seen);
  struct book_event event = {
      .kind = "roster",
      .value = json_pack("{s:s,s:i,s:i}", "system", i->q->system, "learners",
                         i->q->rows, "new", i->q->added)};
  event_insert(i->book, &event);
  if (i->q->odd_count && !i->q->skips)
    book_fail(i->book, ERR_ARGUMENT,
              "%s: %d row%s cannot be taken, so nothing was; mend them, or "
              "leave them out with --skip",
              i->q->name, i->q->odd_count, i->q->odd_count == 1 ? "" : "s");
}

void roster_import(struct book *b, struct roster *q) {
  struct import i = {.book = b, .q = q};
  struct err_info e;
  if (table_read(q->name, q->text, q->bytes, &i.table, &e)) {
    book_fail(b, e.code, "%s", e.text);
    return;
  }
  if (find_columns(&i))
    take_rows(&i);
  table_free(&i.table);
}

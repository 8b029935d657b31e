// SPDX-License-Identifier: Apache-2.0
#include "class/book/sql.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum err sql_error(struct book *b, int code, struct err_info *e) {
  const char *path = book_path(b);
  switch (code & 0xFF) {
  case SQLITE_FULL:
    return err_set(e, ERR_IO, "%s: the disk is full; nothing was changed",
                   path);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return err_set(e, ERR_NOT_READY,
                   "%s: another program has been writing in it all the time; "
                   "nothing was changed, try again",
                   path);
  case SQLITE_NOTADB:
    return err_set(e, ERR_ARGUMENT, "%s: this is no gradebook", path);
  case SQLITE_CORRUPT:
    return err_set(e, ERR_IO,
                   "%s: the file is damaged; put the last backup in its place "
                   "(warpshop class book backup makes one)",
                   path);
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_CANTOPEN:
    return err_set(e, ERR_IO,
                   "%s: it, or the folder that it lies in, may not be written "
                   "by you",
                   path);
  default:
    return err_set(e, ERR_IO, "%s: %s; nothing was changed", path,
                   sqlite3_errmsg(book_database(b)));
  }
}

static void fail(struct book *b, int code) {
  struct err_info e;
  sql_error(b, code, &e);
  book_fail(b, e.code, "%s", e.text);
}

// NULL where it, or something before, failed.
static sqlite3_stmt *prepare(struct book *b, const char *sql, const char *types,
                             va_list ap) {
  sqlite3_stmt *s = NULL;
  if (book_has_failed(b))
    return NULL;
  int rc = sqlite3_prepare_v2(book_database(b), sql, -1, &s, NULL);
  for (int i = 0; !rc && types[i]; i++) {
    if (types[i] == 'i') {
      rc = sqlite3_bind_int64(s, i + 1, va_arg(ap, int64_t));
    } else if (types[i] == 'd') {
      double d = va_arg(ap, double);
      rc = isnan(d) ? sqlite3_bind_null(s, i + 1)
                    : sqlite3_bind_double(s, i + 1, d);
    } else {
      rc = sqlite3_bind_text(s, i + 1, va_arg(ap, const char *), -1,
                             SQLITE_TRANSIENT);
    }
  }
  if (!rc)
    return s;
  fail(b, rc);
  sqlite3_finalize(s);
  return NULL;
}

bool sql_next(struct sql_rows *r) {
  if (!r->statement)
    return false;
  int rc = sqlite3_step(r->statement);
  if (rc == SQLITE_ROW)
    return true;
  if (rc != SQLITE_DONE)
    fail(r->book, rc);
  sql_end(r);
  return false;
}

void sql_end(struct sql_rows *r) {
  sqlite3_finalize(r->statement);
  r->statement = NULL;
}

struct sql_rows sql_rows(struct book *b, const char *sql, const char *types,
                         ...) {
  struct sql_rows r = {.book = b};
  va_list ap;
  va_start(ap, types);
  r.statement = prepare(b, sql, types, ap);
  va_end(ap);
  return r;
}

void sql_run(struct book *b, const char *sql, const char *types, ...) {
  struct sql_rows r = {.book = b};
  va_list ap;
  va_start(ap, types);
  r.statement = prepare(b, sql, types, ap);
  va_end(ap);
  while (sql_next(&r)) {
  }
}

int64_t sql_number(struct book *b, int64_t none, const char *sql,
                   const char *types, ...) {
  struct sql_rows r = {.book = b};
  va_list ap;
  va_start(ap, types);
  r.statement = prepare(b, sql, types, ap);
  va_end(ap);
  bool is_there =
      sql_next(&r) && sqlite3_column_type(r.statement, 0) != SQLITE_NULL;
  int64_t value = is_there ? sql_integer(&r, 0) : none;
  sql_end(&r);
  return value;
}

char *sql_text(struct book *b, const char *sql, const char *types, ...) {
  struct sql_rows r = {.book = b};
  va_list ap;
  va_start(ap, types);
  r.statement = prepare(b, sql, types, ap);
  va_end(ap);
  char *text = NULL;
  if (sql_next(&r) && sqlite3_column_type(r.statement, 0) != SQLITE_NULL)
    text = xstrdup(sql_column(&r, 0));
  sql_end(&r);
  return text;
}

const char *sql_column(const struct sql_rows *r, int i) {
  const char *text = (const char *)sqlite3_column_text(r->statement, i);
  return text ? text : "";
}

int64_t sql_integer(const struct sql_rows *r, int i) {
  return sqlite3_column_int64(r->statement, i);
}

double sql_double(const struct sql_rows *r, int i) {
  return sqlite3_column_type(r->statement, i) == SQLITE_NULL
             ? NAN
             : sqlite3_column_double(r->statement, i);
}

// SPDX-License-Identifier: Apache-2.0
// Statements with their values, within a transaction (book_begin). `types` has a
// letter for each value: i int64_t, d double (NaN is NULL), t text (NULL is NULL).
// After a failure all of them do nothing (book_fail).
#ifndef CLASS_BOOK_SQL_H
#define CLASS_BOOK_SQL_H

#include <sqlite3.h>
#include <stdarg.h>

#include "class/book/book.h"

// A statement without rows.
void sql_run(struct book *b, const char *sql, const char *types, ...);
// The first value of the first row, or `none`.
int64_t sql_number(struct book *b, int64_t none, const char *sql,
                   const char *types, ...);
// The same as text, to be freed; NULL: there is no row, or NULL in it.
char *sql_text(struct book *b, const char *sql, const char *types, ...);

// Rows: for (struct sql_rows r = sql_rows(...); sql_next(&r);) ...
// sql_next ends it behind the last one; who leaves the loop calls sql_end.
struct sql_rows {
  struct book *book;
  sqlite3_stmt *statement; // for sqlite3_column_*
};
struct sql_rows sql_rows(struct book *b, const char *sql, const char *types,
                         ...);
bool sql_next(struct sql_rows *r);
void sql_end(struct sql_rows *r);
// Column `i`; "" for NULL. Until the next sql_next.
const char *sql_column(const struct sql_rows *r, int i);
int64_t sql_integer(const struct sql_rows *r, int i);
double sql_double(const struct sql_rows *r, int i); // NaN for NULL

// For book.c: what SQLite says of `code`, as an error.
enum err sql_error(struct book *b, int code, struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// Reading a CSV file whole (RFC 4180, and what spreadsheets make of it): a byte order
// mark, LF or CR LF, quoted line breaks, commas, semicolons or tabs.
#ifndef CLASS_BOOK_TABLE_H
#define CLASS_BOOK_TABLE_H

#include <stddef.h>

#include "base/err.h"

struct table_row {
  int line; // that it begins in, from 1
  int count;
  char **cells; // without spaces at their ends
};

struct table {
  int count; // rows, the header's not among them
  struct table_row header, *rows;
};

// What separates cells is what the first line has most of. Rows without text are
// left out. ERR_ARGUMENT names `name`, the line and what is wrong: no text in UTF-8,
// a quote that does not end, more cells than columns, no header.
enum err table_read(const char *name, const char *text, size_t bytes,
                    struct table *out, struct err_info *e);
void table_free(struct table *t);

// The column of that name, whatever its case; -1: there is none.
int table_column(const struct table *t, const char *name);
// "" where the row has no such cell.
const char *table_cell(const struct table_row *row, int column);

#endif

// SPDX-License-Identifier: Apache-2.0
// Writing CSV as RFC 4180 has it: commas, quotes where they are needed, CR LF.
// Spreadsheets take a cell that begins with = + - @, a tab or a CR for a formula:
// what somebody else wrote gets an apostrophe in front. Numbers and keys, by which
// another program finds a row, stay as they are.
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/str.h"

struct csv {
  struct str out;
  bool has_cell; // in this row
};

#define CSV_INIT                                                               \
  { STR_INIT, false }

void csv_text(struct csv *c, const char *text); // whoever wrote it
void csv_key(struct csv *c, const char *text);
void csv_number(struct csv *c, double v); // NaN: an empty cell
void csv_end_row(struct csv *c);

// Gives the text to the caller, who frees it.
char *csv_take(struct csv *c);

#endif

// SPDX-License-Identifier: Apache-2.0
// Values in cells, and texts in rows.
#ifndef REPL_DEBUGGER_CELLS_H
#define REPL_DEBUGGER_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "repl/debugger/survey.h"

enum { CELL_BYTES = 24 };

// The answer to `cells`. Lanes with one value have the same `kind`, from 0.
struct lane_values {
  bool has[LANES];
  char text[LANES][CELL_BYTES];
  int kind[LANES];
  int kinds;
};
void cells_read_lanes(const char *text, struct lane_values *out);

// How so many cells, `width` columns the widest, are laid out in rows behind a label
// of `label` columns: a power of two of them in a row, the most that has room.
struct cell_grid {
  int per_row, width, rows;
};
struct cell_grid cells_grid(int count, int width, int label, int columns);

// The elements of "{a, {b, c}, d}" as the text of each: those of inner arrays in
// their order, structures ("{x = 1}") whole. Returns how many, at most `most`.
int cells_split(const char *list, char (*out)[CELL_BYTES], int most);

// Rows that a text takes where so many columns are; lines of it begin anew, words
// are kept whole. Each call of cells_wrap takes the bytes of the next row.
int cells_rows(const char *text, int columns);
size_t cells_wrap(const char *text, int columns, size_t *skip);

#endif

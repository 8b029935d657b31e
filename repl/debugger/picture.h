// SPDX-License-Identifier: Apache-2.0
// What the debugger's screen is made of, as pure functions of text: where lanes are,
// values in cells, how much room each panel gets.
#ifndef REPL_DEBUGGER_PICTURE_H
#define REPL_DEBUGGER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { LANES = 32, MOST_WARPS = 32, WAIT_BYTES = 48, CELL_BYTES = 24 };

// ---- survey.c: the answer to `survey` ----

// Lanes of a warp that are at one place.
struct lane_place {
  uint32_t lanes;
  int line;              // 0: outside the learner's source
  char wait[WAIT_BYTES]; // "waits at barrier 0"; "": they can run
};
struct warp_state {
  unsigned number;
  uint32_t born, live;
  int place_count;
  struct lane_place places[LANES];
};
struct survey {
  unsigned grid[3], block[3];
  unsigned long long begun; // blocks that have begun,
  unsigned running;         // and those of them that have not ended
  int warp_count;           // of the block in focus; 0: it does not run
  struct warp_state warps[MOST_WARPS];
};

bool survey_read(const char *text, struct survey *out);
unsigned long long survey_blocks(const struct survey *s); // of the launch
// NULL: the block in focus has no such warp.
const struct warp_state *survey_warp(const struct survey *s, unsigned number);
// A letter for a place of the warp, 'A' for the one that lane `focus` is at.
char survey_letter(const struct warp_state *w, int place, int focus);
// The letter of each lane: '-' of one that has ended, ' ' of one that never was.
void survey_letters(const struct warp_state *w, int focus, char out[LANES + 1]);
// Of those at that line, or 0.
char survey_letter_at(const struct warp_state *w, int line, int focus);

// ---- cells.c: values ----

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

// ---- layout.c ----

enum panel {
  PANEL_SOURCE,
  PANEL_LANES,
  PANEL_VALUES,
  PANEL_WARPS,
  PANEL_SHARED,
  PANELS,
};
struct layout_box {
  int row, column, rows, columns; // rows 0: not shown
};
// What each would take if it could, its heading included; 0: nothing to show.
struct layout_want {
  int rows, columns; // of the screen
  int finding;
  int panel[PANELS];
  enum panel chosen; // has room first
};
struct layout {
  struct layout_box finding, panel[PANELS];
  bool is_narrow; // the chosen panel alone stands below the source
};
// Columns of values and warps, beside the source.
int layout_right(int columns);
// The first row is the title's, the last two are for a message and the keys.
void layout_make(const struct layout_want *w, struct layout *out);

#endif

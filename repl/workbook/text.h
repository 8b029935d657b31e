// SPDX-License-Identifier: Apache-2.0
// Text with styles, as it is written to a terminal, in a pane that scrolls.
#ifndef REPL_WORKBOOK_TEXT_H
#define REPL_WORKBOOK_TEXT_H

#include <stdbool.h>

#include "base/str.h"
#include "display/display.h"

struct text {
  int count;
  struct text_line {
    int count;
    struct text_span {
      enum display_role role;
      char *text;
    } * spans;
  } * lines;
  int first, rows; // the line at the top; as many as were drawn last
  bool has_moved;  // with the last key
};

// The columns that prose is fitted to in a window of so many.
int text_columns(int columns);
// Takes what a terminal would show of `styled`, in lines of at most so many columns.
void text_set(struct text *t, const char *styled, int columns);
void text_free(struct text *t);
void text_draw(struct text *t, const struct pane *p);
// Moves by a key (arrows, Page Up, Home ...); false: it is none that moves.
bool text_move(struct text *t, int key);
bool text_is_at_end(const struct text *t);
// "1-18 of 43", or "" where all is seen.
void text_add_place(const struct text *t, struct str *out);

#endif

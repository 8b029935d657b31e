// SPDX-License-Identifier: Apache-2.0
// Moving by lines in a text, at a column as a terminal shows it.
#include "repl/edit/edit.h"

#include <string.h>

size_t edit_line_start(const char *text, size_t at) {
  while (at > 0 && text[at - 1] != '\n')
    at--;
  return at;
}

size_t edit_line_end(const char *text, size_t at) {
  return at + strcspn(text + at, "\n");
}

static int columns_at(struct edit_char c, char first, int column) {
  return first == '\t' ? EDIT_TAB - column % EDIT_TAB : c.columns;
}

int edit_column(const char *text, size_t at) {
  int column = 0;
  for (size_t i = edit_line_start(text, at); i < at;) {
    struct edit_char c = edit_char_at(text + i, at - i);
    column += columns_at(c, text[i], column);
    i += (size_t)c.bytes;
  }
  return column;
}

// The last place in its line that is not behind that column, and never between
// a character and the marks that combine with it.
static size_t place_at(const char *text, size_t line, int column) {
  size_t end = edit_line_end(text, line), at = line;
  int reached = 0;
  while (at < end) {
    struct edit_char c = edit_char_at(text + at, end - at);
    reached += columns_at(c, text[at], reached);
    if (reached > column)
      break;
    at += (size_t)c.bytes;
  }
  return at;
}

bool edit_move(const char *text, size_t *at, int by, int column) {
  size_t start = edit_line_start(text, *at), end = edit_line_end(text, *at);
  if (by < 0 ? start == 0 : !text[end])
    return false;
  size_t line = by < 0 ? edit_line_start(text, start - 1) : end + 1;
  *at = place_at(text, line, column);
  return true;
}

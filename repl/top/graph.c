// SPDX-License-Identifier: Apache-2.0
// Values over time as a filled curve. A character of braille has two columns of four
// dots; a terminal that lacks those shows how full each place is.
#include "base/str.h"
#include "repl/top/top.h"

enum { DOTS = 4 };

// Dots of the whole graph that a value fills: something is never nothing.
static int dots_of(const struct graph *g, int value) {
  int all = g->rows * DOTS;
  return value <= 0 ? 0 : 1 + (value * all - 1) / 100;
}

// Dots that it fills in one row, from below.
static int dots_in_row(const struct graph *g, int at, int row) {
  int value = at < 0 ? -1 : g->values[at];
  int below = (g->rows - 1 - row) * DOTS;
  int dots = dots_of(g, value) - below;
  return dots < 0 ? 0 : dots > DOTS ? DOTS : dots;
}

// Unicode, block "Braille Patterns": bits of the left and the right column.
static void add_braille(int left, int right, struct str *out) {
  static const unsigned char lefts[] = {0, 0x40, 0x44, 0x46, 0x47};
  static const unsigned char rights[] = {0, 0x80, 0xA0, 0xB0, 0xB8};
  unsigned bits = lefts[left] | rights[right];
  if (!bits) {
    str_add_char(out, ' ');
    return;
  }
  str_add_char(out, (char)0xE2);
  str_add_char(out, (char)(0xA0 | bits >> 6));
  str_add_char(out, (char)(0x80 | (bits & 0x3F)));
}

char *graph_row(const struct graph *g, int row) {
  struct str out = STR_INIT;
  str_add(&out, "");
  int first = g->count - g->columns * GRAPH_PER_COLUMN;
  for (int i = 0; i < g->columns; i++) {
    int at = first + i * GRAPH_PER_COLUMN;
    int left = dots_in_row(g, at, row), right = dots_in_row(g, at + 1, row);
    if (g->is_ascii)
      str_add_char(&out, " .:|#"[left > right ? left : right]);
    else
      add_braille(left, right, &out);
  }
  return str_take(&out);
}

// SPDX-License-Identifier: Apache-2.0
// Colours of a terminal, written only where they change.
#ifndef REPL_PLOT_PAINT_H
#define REPL_PLOT_PAINT_H

#include "repl/plot/plot.h"

// Colours are 0xRRGGBB; -1: the terminal's own.
struct paint {
  enum canvas_colour colour;
  int front, back; // as they are now
};
struct paint paint_begin(enum canvas_colour colour);
void paint_front(struct paint *p, int colour, struct str *out);
void paint_back(struct paint *p, int colour, struct str *out);
void paint_end(struct paint *p, struct str *out); // the terminal's own again

// The colour of series `i`.
int paint_series(int i);

// The number of the nearest of 16 or of xterm's 256 colours.
int paint_nearest(int colour, bool has_256);

// Adds a character of Unicode as UTF-8, of up to three bytes.
void paint_add_character(unsigned c, struct str *out);

#endif

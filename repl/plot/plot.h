// SPDX-License-Identifier: Apache-2.0
// Arrays as pictures of text, and as sentences. Pure functions of numbers: no
// terminal, no Lua.
#ifndef REPL_PLOT_PLOT_H
#define REPL_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum canvas_colour {
  PICTURE_NONE,
  PICTURE_16,
  PICTURE_256,
  PICTURE_TRUE,
};

// What a picture is drawn on.
struct canvas {
  int columns, rows; // of all of it
  bool is_ascii;     // no braille, no lines, no blocks
  enum canvas_colour colour;
};

// ---- Lines and points (chart.c) ----

enum { CHART_MAX = 8 }; // series in one: more cannot be told apart

struct series {
  const char *name;
  const double *x; // NULL: 0, 1, 2, ...
  const double *y;
  int64_t count;
};

struct chart {
  struct series series[CHART_MAX];
  int count;
  const char *x_name; // NULL: over the index
  bool is_points;     // no lines between them
};

// Does each value lie above the one before it?
bool chart_rises(const double *x, int64_t count);
// Do they rise in equal steps, as what others are drawn over mostly does?
bool chart_is_even(const double *x, int64_t count);

// Adds the picture, a line end behind each row. Values that are NaN or infinite, in
// x or y, are left out, and lines end there.
void chart_draw(const struct chart *c, const struct canvas *on,
                struct str *out);
// Adds the legend, and how many values were left out.
void chart_caption(const struct chart *c, const struct canvas *on,
                   struct str *out);
// Adds what the picture shows, as sentences: of each series its smallest, largest and
// mean value, where they are, and how it goes.
void chart_say(const struct chart *c, struct str *out);

// ---- Images (pixels.c) ----

struct pixels {
  const char *name;
  const double *at; // rows x columns x channels
  int64_t rows, columns;
  int channels; // 1: shades from the smallest to the largest value; 3, 4: colours
  double full; // of a colour: 1 of floats, 255 of integers
};

void pixels_draw(const struct pixels *p, const struct canvas *on,
                 struct str *out);
// Adds what black and white are, what a pixel stands for, and what could not be shown.
void pixels_caption(const struct pixels *p, const struct canvas *on,
                    struct str *out);
void pixels_say(const struct pixels *p, struct str *out);

// ---- Images in pixels (graphics.c) ----

// A terminal that shows them, by kitty's protocol or as sixels.
struct pixel_screen {
  int columns, rows;           // that the picture may have
  int cell_width, cell_height; // pixels of a character
  bool is_kitty;
};
// Adds the image. False: there is something in it that is not finite, or no libsixel.
bool pixels_paint(const struct pixels *p, const struct pixel_screen *on,
                  struct str *out);
void pixels_paint_caption(const struct pixels *p, const struct pixel_screen *on,
                          struct str *out);

#endif

// SPDX-License-Identifier: Apache-2.0
// What of an image is shown: its elements, or means of them.
#ifndef REPL_PLOT_SHOWN_H
#define REPL_PLOT_SHOWN_H

#include "repl/plot/axis.h"
#include "repl/plot/plot.h"

struct block {
  int64_t row, column, rows, columns;
};

struct shown {
  const struct pixels *of;
  struct range range; // of all elements
  int64_t block;      // a pixel is the mean of block x block elements
  int rows, columns;  // pixels
  int enlarged;       // each is drawn so often, across and down
  int *colours;       // 0xRRGGBB; -1: nothing there is finite
};
struct shown pixels_shown(const struct pixels *p, int columns, int rows);
void shown_free(struct shown *s);
int shown_colour(const struct shown *s, int row, int column);

struct range pixels_range(const struct pixels *p);
// Of the first channel, of what is finite; NaN where nothing is.
double pixels_mean(const struct pixels *p, struct block b);

#endif

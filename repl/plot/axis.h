// SPDX-License-Identifier: Apache-2.0
// Ranges, ticks and numbers.
#ifndef REPL_PLOT_AXIS_H
#define REPL_PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// What is finite of some values.
struct range {
  double low, high; // only where `count` is not 0
  int64_t count;
  int64_t nans, infinite; // those that are not
};
void range_add(struct range *r, double v);
// A range of one value gets room around it.
void range_widen(struct range *r);
// Where a value lies in it, from 0 to 1; of any range that doubles can have.
double range_place(const struct range *r, double v);

// The ticks of a range: whole multiples of 1, 2 or 5 times a power of ten.
struct ticks {
  double step;
  int64_t first, last; // ticks are i * step
};
// At most `most` (2 or more) of them, `least` apart or more. An end of the range that
// nearly is one becomes it.
struct ticks ticks_of(struct range *r, int most, double least);
// A tick as text, as long as it needs to be told from its neighbours.
enum { TICK_TEXT = 32 };
void tick_text(const struct ticks *t, int64_t i, char out[TICK_TEXT]);

// "0.333", "1e+20": a number in a sentence; whole numbers whole.
void number_add(double v, struct str *out);

#endif

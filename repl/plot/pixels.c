// SPDX-License-Identifier: Apache-2.0
// An image of characters: half blocks, of which each shows two pixels by its two
// colours, or ASCII from dark to bright where there is no colour. What is larger than
// the screen is shown by means, what is small is enlarged.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "repl/plot/axis.h"
#include "repl/plot/paint.h"
#include "repl/plot/shown.h"

enum { MOST_ENLARGED = 4 };

static const char shades[] = " .:-=+*#%@"; // from black to white

// ---- Elements ----

static double element(const struct pixels *p, int64_t row, int64_t column,
                      int channel) {
  return p->at[(row * p->columns + column) * p->channels + channel];
}

struct range pixels_range(const struct pixels *p) {
  struct range r = {0};
  for (int64_t i = 0; i < p->rows * p->columns * p->channels; i++)
    range_add(&r, p->at[i]);
  return r;
}

// ---- Means ----

// The mean of what is finite in a block of one channel; NaN where nothing is.
static double mean_of(const struct pixels *p, struct block b, int channel) {
  double mean = 0;
  int64_t count = 0;
  for (int64_t row = b.row; row < b.row + b.rows && row < p->rows; row++)
    for (int64_t i = b.column; i < b.column + b.columns && i < p->columns;
         i++) {
      double v = element(p, row, i, channel);
      if (!isfinite(v))
        continue;
      count++;
      mean += v / (double)count - mean / (double)count;
    }
  return count ? mean : NAN;
}

double pixels_mean(const struct pixels *p, struct block b) {
  return mean_of(p, b, 0);
}

static double clamp(double v) {
  return v < 0 ? 0 : v > 1 ? 1 : v;
}

// 0xRRGGBB; -1: nothing there is finite.
static int colour_of(const struct shown *s, struct block b) {
  const struct pixels *p = s->of;
  double alpha = p->channels == 4 ? clamp(mean_of(p, b, 3) / p->full) : 1;
  int colour = 0;
  for (int k = 0; k < 3; k++) {
    double v = mean_of(p, b, p->channels == 1 ? 0 : k);
    if (isnan(v) || isnan(alpha))
      return -1;
    double level = p->channels == 1 ? range_place(&s->range, v) : v / p->full;
    colour = colour << 8 | (int)lround(clamp(level) * alpha * 255);
  }
  return colour;
}

// How it is shown in `columns` x `rows` pixels at most.
struct shown pixels_shown(const struct pixels *p, int columns, int rows) {
  struct shown s = {.of = p, .range = pixels_range(p), .enlarged = 1};
  int64_t by_row = (p->rows + rows - 1) / rows;
  int64_t by_column = (p->columns + columns - 1) / columns;
  s.block = by_row > by_column ? by_row : by_column;
  s.block = s.block < 1 ? 1 : s.block;
  s.rows = (int)((p->rows + s.block - 1) / s.block);
  s.columns = (int)((p->columns + s.block - 1) / s.block);
  while (s.enlarged < MOST_ENLARGED && s.rows * (s.enlarged + 1) <= rows &&
         s.columns * (s.enlarged + 1) <= columns)
    s.enlarged++;
  if (s.range.count && s.range.low == s.range.high) // one value: black
    s.range.high += fabs(s.range.low) / 10 + 1;
  s.colours = xcalloc((size_t)s.rows * (size_t)s.columns, sizeof *s.colours);
  for (int i = 0; i < s.rows * s.columns; i++) {
    struct block b = {i / s.columns * s.block, i % s.columns * s.block, s.block,
                      s.block};
    s.colours[i] = colour_of(&s, b);
  }
  return s;
}

void shown_free(struct shown *s) {
  free(s->colours);
}

// Of the enlarged picture; -1 also below its last row.
int shown_colour(const struct shown *s, int row, int column) {
  row /= s->enlarged;
  return row < s->rows ? s->colours[row * s->columns + column / s->enlarged]
                       : -1;
}

// ---- Rows of text ----

// Rec. 709's weights.
static double brightness(int colour) {
  return (0.2126 * (colour >> 16 & 0xff) + 0.7152 * (colour >> 8 & 0xff) +
          0.0722 * (colour & 0xff)) /
         255;
}

static char shade_of(int upper, int lower, bool has_lower) {
  int last = (int)sizeof shades - 2;
  if (upper < 0 || (has_lower && lower < 0))
    return '?';
  double level = has_lower ? (brightness(upper) + brightness(lower)) / 2
                           : brightness(upper);
  return shades[(int)lround(level * last)];
}

static void add_half_block(struct paint *paint, int upper, int lower,
                           bool has_lower, struct str *out) {
  bool is_unknown = upper < 0 || (has_lower && lower < 0);
  paint_front(paint, is_unknown ? -1 : upper, out);
  paint_back(paint, is_unknown || !has_lower ? -1 : lower, out);
  if (is_unknown)
    str_add_char(out, '?');
  else
    str_add(out, "▀");
}

static bool has_blocks(const struct canvas *on) {
  return on->colour != PICTURE_NONE && !on->is_ascii;
}

void pixels_draw(const struct pixels *p, const struct canvas *on,
                 struct str *out) {
  struct shown s = pixels_shown(p, on->columns, 2 * on->rows);
  struct paint paint = paint_begin(on->colour);
  int rows = s.rows * s.enlarged, columns = s.columns * s.enlarged;
  for (int row = 0; row < rows; row += 2) {
    bool has_lower = row + 1 < rows;
    for (int i = 0; i < columns; i++) {
      int upper = shown_colour(&s, row, i),
          lower = shown_colour(&s, row + 1, i);
      if (has_blocks(on))
        add_half_block(&paint, upper, lower, has_lower, out);
      else
        str_add_char(out, shade_of(upper, lower, has_lower));
    }
    paint_end(&paint, out);
    str_add_char(out, '\n');
  }
  shown_free(&s);
}

// ---- What is said below ----

static void add_range(const struct pixels *p, const struct range *r,
                      struct str *out) {
  if (!r->count) {
    str_add(out, "nothing in it is finite");
  } else if (p->channels > 1) {
    str_add(out, "colours from 0 to ");
    number_add(p->full, out);
    if (r->low < 0 || r->high > p->full) {
      str_add(out, ", cut off there: it has ");
      number_add(r->low, out);
      str_add(out, " to ");
      number_add(r->high, out);
    }
  } else if (r->low == r->high) {
    str_add(out, "all are ");
    number_add(r->low, out);
  } else {
    str_add(out, "black is ");
    number_add(r->low, out);
    str_add(out, ", white is ");
    number_add(r->high, out);
  }
}

void pixels_caption(const struct pixels *p, const struct canvas *on,
                    struct str *out) {
  struct shown s = pixels_shown(p, on->columns, 2 * on->rows);
  struct range r = pixels_range(p);
  str_addf(out, "%s, %lld rows x %lld columns · ", p->name, (long long)p->rows,
           (long long)p->columns);
  add_range(p, &r, out);
  if (s.block > 1)
    str_addf(out, " · a pixel is the mean of %lld x %lld", (long long)s.block,
             (long long)s.block);
  if (r.nans)
    str_addf(out, " · %lld NaN", (long long)r.nans);
  if (r.infinite)
    str_addf(out, " · %lld infinite", (long long)r.infinite);
  if (r.nans + r.infinite)
    str_addf(out, s.block > 1 ? " (left out of means; ? where nothing else is)"
                              : " (shown as ?)");
  shown_free(&s);
}

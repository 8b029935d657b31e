// SPDX-License-Identifier: Apache-2.0
// Series as lines of dots: a character of braille has two columns of four, one of
// ASCII a single one. Several series are told apart by a letter that stands on their
// lines here and there (in ASCII by the character they are drawn with), and by colour.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/plot/axis.h"
#include "repl/plot/paint.h"
#include "repl/plot/plot.h"

enum { MARK_EVERY = 16 }; // columns from one letter of a line to its next

static const char ascii_marks[CHART_MAX] = "*+ox#@%=";

// What is known of one place of the picture.
struct cell {
  unsigned char dots; // of braille
  signed char owner;  // the series that drew here last; -1: none
  char mark;          // stands there instead of dots; 0: none
};

struct plot {
  const struct chart *chart;
  const struct canvas *on;
  struct range x, y;
  int columns, rows;        // of cells
  int dots_across, dots_up; // in a cell
  struct cell *cells;
  int label_columns;
};

static double x_of(const struct series *s, int64_t i) {
  return s->x ? s->x[i] : (double)i;
}

static bool is_shown(const struct series *s, int64_t i) {
  return isfinite(s->y[i]) && isfinite(x_of(s, i));
}

bool chart_rises(const double *x, int64_t count) {
  for (int64_t i = 1; i < count; i++)
    if (!(x[i] > x[i - 1]))
      return false;
  return count > 1;
}

bool chart_is_even(const double *x, int64_t count) {
  double step = count > 1 ? (x[count - 1] - x[0]) / (double)(count - 1) : 0;
  double most = count > 1 ? fmax(fabs(x[0]), fabs(x[count - 1])) : 0;
  double slack = step / 100 + most * 1e-6; // what floats round away
  for (int64_t i = 0; i < count; i++)
    if (!(fabs(x[i] - x[0] - step * (double)i) <= slack))
      return false;
  return step > 0 && chart_rises(x, count);
}

// ---- Dots ----

// Unicode, block "Braille Patterns": the bit of a dot by column and by row from above.
static void set_dot(struct plot *p, int series, int x, int y) {
  static const unsigned char bits[2][4] = {{0x01, 0x02, 0x04, 0x40},
                                           {0x08, 0x10, 0x20, 0x80}};
  int column = x / p->dots_across, row = p->rows - 1 - y / p->dots_up;
  struct cell *c = &p->cells[row * p->columns + column];
  c->owner = (signed char)series;
  c->dots |= bits[x % p->dots_across][p->dots_up - 1 - y % p->dots_up];
}

struct dot {
  int x, y;
};

static struct dot dot_of(const struct plot *p, const struct series *s,
                         int64_t i) {
  int across = p->columns * p->dots_across - 1, up = p->rows * p->dots_up - 1;
  return (struct dot){
      (int)lround(range_place(&p->x, x_of(s, i)) * across),
      (int)lround(range_place(&p->y, s->y[i]) * up),
  };
}

static void draw_line(struct plot *p, int series, struct dot a, struct dot b) {
  int dx = b.x - a.x, dy = b.y - a.y;
  int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
  for (int i = 1; i <= steps; i++)
    set_dot(p, series, a.x + (int)lround((double)dx * i / steps),
            a.y + (int)lround((double)dy * i / steps));
}

// Of thousands of points in one column of dots, those that reach further than the
// ones before draw something.
static void draw_series(struct plot *p, int number) {
  const struct series *s = &p->chart->series[number];
  bool has_last = false;
  struct dot last = {0, 0};
  int low = 0, high = 0; // of what is drawn in the last dot's column
  for (int64_t i = 0; i < s->count; i++) {
    if (!is_shown(s, i)) {
      has_last = false;
      continue;
    }
    struct dot d = dot_of(p, s, i);
    bool is_there = has_last && d.x == last.x;
    if (!has_last || p->chart->is_points) {
      set_dot(p, number, d.x, d.y);
    } else if (!is_there || d.y < low || d.y > high) {
      draw_line(p, number, last, d);
    }
    low = is_there && low < d.y ? low : d.y;
    high = is_there && high > d.y ? high : d.y;
    last = d;
    has_last = true;
  }
}

// ---- Marks ----

static struct cell *cell_of(struct plot *p, int series, int column) {
  for (int row = 0; row < p->rows; row++) {
    struct cell *c = &p->cells[row * p->columns + column];
    if (c->owner == series && !c->mark)
      return c;
  }
  return NULL;
}

// Each series begins its letters elsewhere, so that they do not meet.
static void mark_series(struct plot *p, int series) {
  int count = 0;
  int from = 1 + series * MARK_EVERY / p->chart->count;
  for (int column = from; column < p->columns; column += MARK_EVERY) {
    struct cell *c = cell_of(p, series, column);
    if (c)
      c->mark = (char)('A' + series), count++;
  }
  for (int column = 0; column < p->columns && !count; column++) {
    struct cell *c = cell_of(p, series, column);
    if (c)
      c->mark = (char)('A' + series), count++;
  }
}

static void mark_all(struct plot *p) {
  for (int i = 0; i < p->rows * p->columns && p->on->is_ascii; i++)
    if (p->cells[i].owner >= 0)
      p->cells[i].mark = ascii_marks[p->cells[i].owner];
  for (int k = 0; k < p->chart->count && p->chart->count > 1; k++)
    if (!p->on->is_ascii)
      mark_series(p, k);
}

// ---- Rows of text ----

static void add_cell(const struct plot *p, const struct cell *c,
                     struct paint *paint, struct str *out) {
  bool has_colour = c->owner >= 0 && p->chart->count > 1;
  paint_front(paint, has_colour ? paint_series(c->owner) : -1, out);
  if (c->mark)
    str_add_char(out, c->mark);
  else if (!c->dots)
    str_add_char(out, ' ');
  else
    paint_add_character(0x2800 + c->dots, out);
}

// The row on which a value lies.
static int row_of(const struct plot *p, double v) {
  int up = p->rows * p->dots_up - 1;
  return p->rows - 1 - (int)lround(range_place(&p->y, v) * up) / p->dots_up;
}

static void add_label(const struct plot *p, const struct ticks *t, int row,
                      struct str *out) {
  char text[TICK_TEXT] = "";
  for (int64_t i = t->first; i <= t->last; i++)
    if (row_of(p, (double)i * t->step) == row)
      tick_text(t, i, text);
  str_addf(out, "%*s %s", p->label_columns, text,
           p->on->is_ascii ? (*text ? "+" : "|") : (*text ? "┤" : "│"));
}

static void add_rows(const struct plot *p, const struct ticks *t,
                     struct str *out) {
  struct paint paint = paint_begin(p->on->colour);
  for (int row = 0; row < p->rows; row++) {
    int last = p->columns - 1;
    const struct cell *cells = &p->cells[row * p->columns];
    add_label(p, t, row, out);
    while (last >= 0 && cells[last].owner < 0)
      last--;
    for (int column = 0; column <= last; column++)
      add_cell(p, &cells[column], &paint, out);
    paint_end(&paint, out);
    str_add_char(out, '\n');
  }
}

// The line below, with a mark at each tick, and the numbers, as many as fit.
static void add_x_axis(const struct plot *p, const struct ticks *t,
                       struct str *out) {
  char *marks = xcalloc((size_t)p->columns + 1, 1);
  char *numbers = xcalloc((size_t)p->columns + TICK_TEXT + 1, 1);
  int end = 0;
  memset(numbers, ' ', (size_t)p->columns + TICK_TEXT);
  for (int64_t i = t->first; i <= t->last; i++) {
    char text[TICK_TEXT];
    int at =
        (int)lround(range_place(&p->x, (double)i * t->step) * (p->columns - 1));
    tick_text(t, i, text);
    int n = (int)strlen(text), from = at - n / 2 < 0 ? 0 : at - n / 2;
    if (at < 0 || at >= p->columns || from < end)
      continue;
    from = from + n > p->columns ? p->columns - n : from;
    marks[at] = 1;
    memcpy(numbers + from, text, (size_t)n);
    end = from + n + 1;
  }
  str_addf(out, "%*s %s", p->label_columns, "", p->on->is_ascii ? "+" : "└");
  for (int column = 0; column < p->columns; column++)
    str_add(out, p->on->is_ascii ? (marks[column] ? "+" : "-")
                                 : (marks[column] ? "┬" : "─"));
  numbers[end ? end - 1 : 0] = 0;
  str_addf(out, "\n%*s%s\n", p->label_columns + 2, "", numbers);
  free(marks);
  free(numbers);
}

// ---- The whole ----

static void find_ranges(struct plot *p) {
  for (int k = 0; k < p->chart->count; k++) {
    const struct series *s = &p->chart->series[k];
    for (int64_t i = 0; i < s->count; i++)
      if (is_shown(s, i)) {
        range_add(&p->x, x_of(s, i));
        range_add(&p->y, s->y[i]);
      }
  }
  range_widen(&p->x);
  range_widen(&p->y);
}

static int widest_label(const struct ticks *t) {
  int widest = 1;
  for (int64_t i = t->first; i <= t->last; i++) {
    char text[TICK_TEXT];
    tick_text(t, i, text);
    widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
  }
  return widest;
}

static int between(int least, int v, int most) {
  return v < least ? least : v > most ? most : v;
}

void chart_draw(const struct chart *c, const struct canvas *on,
                struct str *out) {
  struct plot p = {.chart = c, .on = on, .rows = on->rows - 2};
  find_ranges(&p);
  struct ticks y = ticks_of(&p.y, between(3, p.rows / 2, 7), 0);
  p.label_columns = widest_label(&y);
  p.columns = on->columns - p.label_columns - 2;
  struct ticks x =
      ticks_of(&p.x, between(3, p.columns / 10, 8), c->x_name ? 0 : 1);
  p.dots_across = on->is_ascii ? 1 : 2;
  p.dots_up = on->is_ascii ? 1 : 4;
  p.cells = xcalloc((size_t)p.rows * (size_t)p.columns, sizeof *p.cells);
  for (int i = 0; i < p.rows * p.columns; i++)
    p.cells[i].owner = -1;
  for (int k = 0; k < c->count; k++)
    draw_series(&p, k);
  mark_all(&p);
  add_rows(&p, &y, out);
  add_x_axis(&p, &x, out);
  free(p.cells);
}

static void add_legend(const struct chart *c, const struct canvas *on,
                       struct str *out) {
  struct paint paint = paint_begin(on->colour);
  for (int k = 0; k < c->count; k++) {
    str_add(out, k ? "   " : "");
    paint_front(&paint, paint_series(k), out);
    str_addf(out, "%c ", on->is_ascii ? ascii_marks[k] : 'A' + k);
    paint_end(&paint, out);
    str_add(out, c->series[k].name);
  }
}

// How many points lack a finite value.
static void count_left_out(const struct chart *c, struct range *sum) {
  for (int k = 0; k < c->count; k++) {
    const struct series *s = &c->series[k];
    for (int64_t i = 0; i < s->count; i++)
      if (!is_shown(s, i))
        range_add(sum, isfinite(s->y[i]) ? x_of(s, i) : s->y[i]);
  }
}

static void add_left_out(const struct chart *c, struct str *out) {
  struct range sum = {0};
  count_left_out(c, &sum);
  if (sum.nans)
    str_addf(out, " · %lld NaN left out", (long long)sum.nans);
  if (sum.infinite)
    str_addf(out, " · %lld infinite left out", (long long)sum.infinite);
}

void chart_caption(const struct chart *c, const struct canvas *on,
                   struct str *out) {
  if (c->count > 1)
    add_legend(c, on, out);
  else
    str_add(out, c->series[0].name);
  str_addf(out, " over %s",
           c->x_name      ? c->x_name
           : c->count > 1 ? "their index"
                          : "its index");
  add_left_out(c, out);
}

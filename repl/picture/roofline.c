// SPDX-License-Identifier: Apache-2.0
// :roofline: operations for each byte, and under which part of a GPU's roof that
// lies: log-log, the slope is memory, the flat part arithmetic.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "repl/picture/picture.h"

enum {
  LEAST_ROWS = 9,
  USUAL_ROWS = 14,
  MOST_ROWS = 28,
  AROUND = 10, // rows of a screen for what is said
  MOST_CHART = 110,
  LEAST_CHART = 30,
  LABEL = 9,
};

// A cell: dots of braille, or a character that stands over them.
struct cell {
  unsigned char dots;
  char mark; // 0: none
};

struct chart {
  const struct picture_roof *roof;
  double rate;       // operations per us under the flat part, of this kernel's
  double low, high;  // log2 of operations a byte, at the edges
  double floor, top; // log2 of operations per us
  bool is_ascii;
  int columns, rows;
  struct cell cell[MOST_ROWS][MOST_CHART];
};

static double value(enum gpu_metric m, const struct gpu_counts *c) {
  double n = gpu_metric_value(m, c->count);
  return isnan(n) ? 0 : n;
}

// Of floats and doubles as the kernel mixes them.
static double rate_of(const struct picture_roof *r,
                      const struct gpu_counts *c) {
  double f64 = value(GPU_METRIC_FLOPS_F64, c), all = value(GPU_METRIC_FLOPS, c);
  double us = (all - f64) / r->f32_per_us;
  if (f64 > 0)
    us += f64 / (r->f64_per_us > 0 ? r->f64_per_us : r->f32_per_us / 2);
  return all > 0 ? all / us : r->f32_per_us;
}

static double roof_at(const struct chart *c, double log_intensity) {
  return fmin(log2(c->roof->bytes_per_us) + log_intensity, log2(c->rate));
}

// Of `steps` rows, from above. The first row of cells is the flat part's label.
static int step_of(const struct chart *c, double log_rate, int steps) {
  double share = (c->top - log_rate) / (c->top - c->floor),
         first = (double)steps / c->rows;
  int step = (int)lround(first + share * (steps - 1 - first));
  return step < 0 ? 0 : step >= steps ? steps - 1 : step;
}

static int row_of(const struct chart *c, double log_rate) {
  return step_of(c, log_rate, 4 * c->rows) / 4;
}

static int column_of(const struct chart *c, double log_intensity) {
  double share = (log_intensity - c->low) / (c->high - c->low);
  int column = (int)lround(share * (c->columns - 1));
  return column < 0 ? 0 : column >= c->columns ? c->columns - 1 : column;
}

// Unicode, block "Braille Patterns": the bit of a dot by column and by row from above.
static void set_dot(struct chart *c, int x, int y) {
  static const unsigned char bits[2][4] = {{0x01, 0x02, 0x04, 0x40},
                                           {0x08, 0x10, 0x20, 0x80}};
  c->cell[y / 4][x / 2].dots |= bits[x % 2][y % 4];
}

static double roof_at_dot(const struct chart *c, int x) {
  return roof_at(c, c->low + (c->high - c->low) * x / (2 * c->columns - 1));
}

// From one column of dots to the next without a gap.
static void draw_roof(struct chart *c) {
  int before = step_of(c, roof_at_dot(c, 0), 4 * c->rows);
  for (int x = 0; x < 2 * c->columns; x++) {
    int y = step_of(c, roof_at_dot(c, x), 4 * c->rows);
    set_dot(c, x, y);
    for (int between = y + 1; between < before; between++)
      set_dot(c, x, between);
    before = y;
  }
}

static void draw_roof_in_ascii(struct chart *c) {
  double corner = log2(c->rate / c->roof->bytes_per_us);
  for (int x = 0; x < c->columns; x++) {
    double at = c->low + (c->high - c->low) * x / (c->columns - 1);
    c->cell[row_of(c, roof_at(c, at))][x].mark = at >= corner ? '-' : '/';
  }
}

// Where all of it has room.
static void put(struct chart *c, int row, int column, const char *text) {
  size_t n = strlen(text);
  if (row < 0 || row >= c->rows || column < 0 || column + (int)n > c->columns)
    return;
  for (size_t i = 0; i < n; i++)
    c->cell[row][column + (int)i].mark = text[i];
}

// What the two parts of the roof are.
static void name_parts(struct chart *c) {
  char text[40];
  double middle = (c->low + log2(c->rate / c->roof->bytes_per_us)) / 2;
  snprintf(text, sizeof text, "%.0f GFLOP/s", c->rate / 1e3);
  put(c, 0, c->columns - (int)strlen(text), text);
  snprintf(text, sizeof text, "%.0f GB/s", c->roof->bytes_per_us / 1e3);
  put(c, row_of(c, roof_at(c, middle)) + 1, column_of(c, middle) + 3, text);
}

// The kernel stands under the roof, wherever that is: a line down to the axis.
static void draw_plumb(struct chart *c, double at, double from) {
  int column = column_of(c, at);
  for (int row = row_of(c, from) + 1; row < c->rows; row++)
    if (!c->cell[row][column].mark)
      c->cell[row][column].mark = ':';
}

static void add_cell(const struct cell *c, struct str *out) {
  if (c->mark || !c->dots)
    str_add_char(out, c->mark ? c->mark : ' ');
  else // U+2800 and more, as UTF-8
    str_addf(out, "\xE2%c%c", 0xA0 | c->dots >> 6, 0x80 | (c->dots & 0x3F));
}

// A power of ten stands at its row, in GFLOP/s.
static void add_label(const struct chart *c, int row, struct str *out) {
  for (double rate = 1e-9; rate < 1e12; rate *= 10) {
    double at = log2(rate * 1e3);
    if (at >= c->floor && at <= c->top && row_of(c, at) == row) {
      str_addf(out, "%*.*g%s", LABEL - 2, 7, rate, c->is_ascii ? " +" : " ┤");
      return;
    }
  }
  str_addf(out, "%*s%s", LABEL - 2, "", c->is_ascii ? " |" : " │");
}

// A number below its tick: one that would run past the chart ends there, and one that
// would touch the number before is left out. `free`: where there is room from.
static void put_number(const struct chart *c, double value, int x, int *free,
                       char *numbers) {
  char number[16];
  int n = snprintf(number, sizeof number, "%.4g", value);
  int at = x + n > c->columns ? c->columns - n : x;
  if (at < *free)
    return;
  memcpy(numbers + LABEL + at, number, (size_t)n);
  *free = at + n + 1;
}

// The powers of ten of operations a byte, and their numbers below.
static void add_axis(const struct chart *c, struct str *out) {
  char numbers[MOST_CHART + 16];
  int free = 0;
  memset(numbers, ' ', sizeof numbers);
  str_addf(out, "%*s%s", LABEL - 2, "", c->is_ascii ? " +" : " └");
  double next = pow(10, ceil(c->low * log10(2)));
  for (int x = 0; x < c->columns; x++) {
    bool is_tick = next <= exp2(c->high) && column_of(c, log2(next)) == x;
    str_add(out, is_tick ? (c->is_ascii ? "+" : "┬") : c->is_ascii ? "-" : "─");
    if (!is_tick)
      continue;
    put_number(c, next, x, &free, numbers);
    next *= 10;
  }
  int n = LABEL + c->columns;
  while (numbers[n - 1] == ' ')
    n--;
  str_addf(out, "\n%.*s\n", n, numbers);
}

static void add_chart(const struct chart *c, struct str *out) {
  str_add(out, "GFLOP/s over operations a byte\n");
  for (int y = 0; y < c->rows; y++) {
    int n = c->columns;
    while (n && !c->cell[y][n - 1].mark && !c->cell[y][n - 1].dots)
      n--;
    add_label(c, y, out);
    for (int x = 0; x < n; x++)
      add_cell(&c->cell[y][x], out);
    str_add(out, "\n");
  }
  add_axis(c, out);
}

static int within(int n, int least, int most) {
  return n < least ? least : n > most ? most : n;
}

static void make_chart(struct chart *c, double intensity, double us,
                       const struct gpu_counts *counts,
                       const struct picture_place *place) {
  double at = log2(intensity), corner = log2(c->rate / c->roof->bytes_per_us);
  c->columns = within(place->columns - LABEL - 1, LEAST_CHART, MOST_CHART);
  c->rows = place->rows ? within(place->rows - AROUND, LEAST_ROWS, MOST_ROWS)
                        : USUAL_ROWS;
  c->is_ascii = place->is_ascii;
  c->low = floor(fmin(fmin(-4, at - 1), corner - 2));
  c->high = ceil(fmax(fmax(8, at + 1), corner + 2));
  c->top = log2(c->rate);
  c->floor = roof_at(c, c->low);
  double done = us > 0 ? log2(value(GPU_METRIC_FLOPS, counts) / us) : 0;
  if (us > 0)
    c->floor = fmin(c->floor, done);
  if (c->is_ascii)
    draw_roof_in_ascii(c);
  else
    draw_roof(c);
  name_parts(c);
  draw_plumb(c, at, roof_at(c, at));
  c->cell[row_of(c, roof_at(c, at))][column_of(c, at)].mark = 'X';
  if (us > 0)
    c->cell[row_of(c, done)][column_of(c, at)].mark = 'o';
}

static void add_meaning(const struct chart *c, double intensity, double us,
                        double flops, bool is_plain, struct str *out) {
  double most = exp2(roof_at(c, log2(intensity))),
         corner = c->rate / c->roof->bytes_per_us;
  str_addf(out,
           "%s %.3g operations a byte %s: at most %.0f GFLOP/s, %.3g%% of "
           "what it can compute. The corner is at %.3g.\n",
           is_plain ? "At" : "X: at", intensity,
           intensity < corner ? "memory is the roof" : "arithmetic is the roof",
           most / 1e3, 100 * most / c->rate, corner);
  double reached = us > 0 ? flops / us / 1e3 : 0;
  if (intensity < corner && reached > most / 1e3)
    str_addf(out,
             "o: it took %.1f us: %.0f GFLOP/s, more than memory could feed: "
             "caches had most of its bytes, and this roof is none for it.\n",
             us, reached);
  else if (us > 0)
    str_addf(out,
             reached < 100
                 ? "o: it took %.1f us: %.3g GFLOP/s, %.3g%% of its roof.\n"
                 : "o: it took %.1f us: %.0f GFLOP/s, %.3g%% of its roof.\n",
             us, reached, 1e5 * reached / most);
  else
    str_add(out, "No time is drawn: the virtual GPU's say nothing of a real "
                 "one.\n");
}

// Bytes that came from and went to DRAM; 0: nobody knows, or caches held most of what
// was asked for, so that they say little of the kernel.
static double dram_bytes(const struct gpu_hardware *h, double bytes) {
  double seen =
      h ? h->value[GPU_HARDWARE_DRAM_READ] + h->value[GPU_HARDWARE_DRAM_WRITE]
        : 0;
  return seen > 0 && (h->is_cold || seen >= bytes / 2) ? seen : 0;
}

static void add_source(bool is_dram, struct str *out) {
  str_add(out, is_dram ? "Bytes are those that the GPU itself counted on their "
                         "way from and to DRAM.\n"
                       : "Bytes are those of sectors that requests touch; what "
                         "a cache has costs less.\n");
}

void picture_roofline(const char *kernel, const struct gpu_counts *counts,
                      const struct picture_roof *roof, double us,
                      const struct picture_place *place, struct str *out) {
  const struct gpu_hardware *hardware = roof->hardware;
  double flops = value(GPU_METRIC_FLOPS, counts),
         bytes = value(GPU_METRIC_GLOBAL_BYTES, counts),
         launches = (double)counts->count[GPU_COUNT_LAUNCHES];
  double dram = dram_bytes(hardware, bytes);
  struct chart c = {.roof = roof, .rate = rate_of(roof, counts)};
  if (launches > 1)
    us = 0; // of the last one alone
  if (hardware && hardware->value[GPU_HARDWARE_DURATION] > 0)
    us = hardware->value[GPU_HARDWARE_DURATION] / 1e3;
  double moved = dram > 0 && bytes > 0 ? dram : bytes;
  bool is_there = flops > 0 && bytes > 0;
  if (is_there)
    make_chart(&c, flops / moved, us, counts, place);
  if (is_there && !place->is_plain)
    add_chart(&c, out);
  str_addf(out, "%s: %.0f operations on floats, %.0f bytes of global memory",
           kernel, flops, bytes);
  if (dram > 0)
    str_addf(out, ", %.0f of DRAM", dram);
  str_add_char(out, '\n');
  if (!is_there) {
    str_addf(out, "It has no place under a roof: %s.\n",
             bytes > 0 ? "it does no operations on floats, and memory alone "
                         "is its limit"
                       : "it moves no byte of global memory");
    return;
  }
  str_addf(out, "%s: %.0f GB/s, %.0f GFLOP/s\n", roof->name,
           roof->bytes_per_us / 1e3, c.rate / 1e3);
  add_meaning(&c, flops / moved, us, flops, place->is_plain, out);
  add_source(dram > 0, out);
}

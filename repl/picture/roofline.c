// SPDX-License-Identifier: Apache-2.0
// :roofline: operations for each byte, and under which part of a GPU's roof that
// lies: log-log, the slope is memory, the flat part arithmetic.
#include <math.h>
#include <string.h>

#include "repl/picture/picture.h"

enum { ROWS = 11, MOST_CHART = 64, LABEL = 9 };

struct chart {
  const struct picture_roof *roof;
  double rate;       // operations per us under the flat part, of this kernel's
  double low, high;  // log2 of operations a byte, at the edges
  double floor, top; // log2 of operations per us
  int columns;
  char cell[ROWS][MOST_CHART + 1];
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

static int row_of(const struct chart *c, double log_rate) {
  double share = (log_rate - c->floor) / (c->top - c->floor);
  int row = ROWS - 1 - (int)lround(share * (ROWS - 1));
  return row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
}

static int column_of(const struct chart *c, double log_intensity) {
  double share = (log_intensity - c->low) / (c->high - c->low);
  int column = (int)lround(share * (c->columns - 1));
  return column < 0 ? 0 : column >= c->columns ? c->columns - 1 : column;
}

static void draw_roof(struct chart *c) {
  for (int y = 0; y < ROWS; y++) {
    memset(c->cell[y], ' ', (size_t)c->columns);
    c->cell[y][c->columns] = 0;
  }
  for (int x = 0; x < c->columns; x++) {
    double at = c->low + (c->high - c->low) * x / (c->columns - 1);
    bool is_flat = log2(c->roof->bytes_per_us) + at >= log2(c->rate);
    c->cell[row_of(c, roof_at(c, at))][x] = is_flat ? '-' : '/';
  }
}

static void add_chart(const struct chart *c, struct str *out) {
  for (int y = 0; y < ROWS; y++) {
    double rate = exp2(c->top - (c->top - c->floor) * y / (ROWS - 1)) / 1e3;
    size_t n = strlen(c->cell[y]);
    while (n && c->cell[y][n - 1] == ' ')
      n--;
    if (y % 2)
      str_addf(out, "%*s |%.*s\n", LABEL - 2, "", (int)n, c->cell[y]);
    else
      str_addf(out, "%*.*f |%.*s\n", LABEL - 2, rate < 10 ? 1 : 0, rate, (int)n,
               c->cell[y]);
  }
  str_addf(out, "%*s +", LABEL - 2, "");
  for (int x = 0; x < c->columns; x++)
    str_add(out, "-");
  str_addf(out, "\nGFLOP/s   %-8.3g", exp2(c->low));
  str_addf(out, "%*.3g operations a byte\n", c->columns - 27, exp2(c->high));
}

static void make_chart(struct chart *c, double intensity, double us,
                       const struct gpu_counts *counts,
                       const struct picture_place *place) {
  double at = log2(intensity), corner = log2(c->rate / c->roof->bytes_per_us);
  c->columns = place->columns - LABEL - 1;
  c->columns = c->columns > MOST_CHART ? MOST_CHART
               : c->columns < 30       ? 30
                                       : c->columns;
  c->low = floor(fmin(fmin(-4, at - 1), corner - 2));
  c->high = ceil(fmax(fmax(8, at + 1), corner + 2));
  c->top = log2(c->rate);
  c->floor = roof_at(c, c->low);
  double done = us > 0 ? log2(value(GPU_METRIC_FLOPS, counts) / us) : 0;
  if (us > 0)
    c->floor = fmin(c->floor, done);
  draw_roof(c);
  c->cell[row_of(c, roof_at(c, at))][column_of(c, at)] = 'X';
  if (us > 0)
    c->cell[row_of(c, done)][column_of(c, at)] = 'o';
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
  if (us > 0)
    str_addf(out,
             reached < 100
                 ? "o: it took %.1f us: %.3g GFLOP/s, %.3g%% of its roof.\n"
                 : "o: it took %.1f us: %.0f GFLOP/s, %.3g%% of its roof.\n",
             us, reached, 1e5 * reached / most);
  else
    str_add(out, "No time is drawn: the virtual GPU's say nothing of a real "
                 "one.\n");
}

void picture_roofline(const char *kernel, const struct gpu_counts *counts,
                      const struct picture_roof *roof, double us,
                      const struct picture_place *place, struct str *out) {
  double flops = value(GPU_METRIC_FLOPS, counts),
         bytes = value(GPU_METRIC_GLOBAL_BYTES, counts),
         launches = (double)counts->count[GPU_COUNT_LAUNCHES];
  struct chart c = {.roof = roof, .rate = rate_of(roof, counts)};
  str_addf(out, "%s: %.0f operations on floats, %.0f bytes of global memory\n",
           kernel, flops, bytes);
  if (launches > 1)
    us = 0; // of the last one alone
  if (flops <= 0 || bytes <= 0) {
    str_addf(out, "It has no place under a roof: %s.\n",
             bytes > 0 ? "it does no operations on floats, and memory alone "
                         "is its limit"
                       : "it moves no byte of global memory");
    return;
  }
  make_chart(&c, flops / bytes, us, counts, place);
  str_addf(out, "%s: %.0f GB/s, %.0f GFLOP/s\n", roof->name,
           roof->bytes_per_us / 1e3, c.rate / 1e3);
  if (!place->is_plain)
    add_chart(&c, out);
  add_meaning(&c, flops / bytes, us, flops, place->is_plain, out);
  str_add(out, "Bytes are those of sectors that requests touch; what a cache "
               "has costs less.\n");
}

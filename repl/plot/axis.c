// SPDX-License-Identifier: Apache-2.0
#include "repl/plot/axis.h"

#include <math.h>
#include <stdio.h>

// ---- Ranges ----

void range_add(struct range *r, double v) {
  if (isnan(v)) {
    r->nans++;
  } else if (isinf(v)) {
    r->infinite++;
  } else {
    if (!r->count || v < r->low)
      r->low = v;
    if (!r->count || v > r->high)
      r->high = v;
    r->count++;
  }
}

void range_widen(struct range *r) {
  if (!r->count)
    *r = (struct range){0, 1, 0, r->nans, r->infinite};
  else if (r->low == r->high) {
    double room = fabs(r->low) > 10 ? fabs(r->low) / 10 : 1;
    r->low -= room;
    r->high += room;
  }
}

double range_place(const struct range *r, double v) {
  // Halves: the difference of two doubles may be none.
  return (v / 2 - r->low / 2) / (r->high / 2 - r->low / 2);
}

// ---- Ticks ----

// The smallest nice one that is not below `least`.
static double step_for(double least) {
  static const double nice[] = {1, 2, 5};
  double power = pow(10, floor(log10(least)));
  for (size_t i = 0; i < sizeof nice / sizeof *nice; i++)
    if (nice[i] * power >= least)
      return nice[i] * power;
  return 10 * power;
}

static void extend(struct range *r, double step) {
  const double near = 0.15; // of a step
  double low = floor(r->low / step) * step, high = ceil(r->high / step) * step;
  if (r->low - low < near * step)
    r->low = low;
  if (high - r->high < near * step)
    r->high = high;
}

static struct ticks with_step(const struct range *r, double step) {
  const double slack = 1e-9; // 3 * 0.1 is a tick of a range that ends at 0.3
  double first = ceil(r->low / step - slack);
  double last = floor(r->high / step + slack);
  // None where doubles have no such step, or do not tell the ticks apart.
  if (!isfinite(step) || fabs(first) > 9e15 || fabs(last) > 9e15 || step <= 0)
    return (struct ticks){1, 0, -1};
  return (struct ticks){step, (int64_t)first, (int64_t)last};
}

struct ticks ticks_of(struct range *r, int most, double least) {
  double half = r->high / 2 - r->low / 2;
  double step = step_for(fmax(half / most * 2, least));
  struct ticks t = with_step(r, step);
  while (t.last - t.first >= most) {
    step = step_for(1.5 * step);
    t = with_step(r, step);
  }
  if (t.first <= t.last)
    extend(r, step);
  return with_step(r, step);
}

void tick_text(const struct ticks *t, int64_t i, char out[TICK_TEXT]) {
  double v = (double)i * t->step;
  double most = fmax(fabs((double)t->first), fabs((double)t->last)) * t->step;
  int from = most > 0 ? (int)floor(log10(most)) : 0;
  int to = (int)floor(log10(t->step) + 1e-9);
  if (from < 7 && to >= -5)
    snprintf(out, TICK_TEXT, "%.*f", to < 0 ? -to : 0, v);
  else
    snprintf(out, TICK_TEXT, "%.*g", from - to + 1 < 17 ? from - to + 1 : 17,
             v);
}

void number_add(double v, struct str *out) {
  bool is_whole = v == floor(v) && fabs(v) < 1e15;
  str_addf(out, is_whole ? "%.0f" : "%.6g", v == 0 ? 0.0 : v);
}

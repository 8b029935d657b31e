// SPDX-License-Identifier: Apache-2.0
// A chart as sentences: where its ends are, and how it goes from turn to turn.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "repl/plot/axis.h"
#include "repl/plot/plot.h"

enum {
  TURNS_TOLD = 8, // more are counted
  TURN_PART = 10, // a turn is one by more than this part of the range
};

// The points of a series that have a place.
struct points {
  double *x, *y;
  int64_t count;
};

static struct points points_of(const struct series *s) {
  size_t bytes = (size_t)(s->count ? s->count : 1) * sizeof(double);
  struct points p = {xmalloc(bytes), xmalloc(bytes), 0};
  for (int64_t i = 0; i < s->count; i++) {
    double x = s->x ? s->x[i] : (double)i;
    if (!isfinite(x) || !isfinite(s->y[i]))
      continue;
    p.x[p.count] = x;
    p.y[p.count++] = s->y[i];
  }
  return p;
}

static void points_free(struct points *p) {
  free(p->x);
  free(p->y);
}

// "0.5 at 12"
static void add_at(const struct points *p, int64_t i, struct str *out) {
  number_add(p->y[i], out);
  str_add(out, " at ");
  number_add(p->x[i], out);
}

static void add_ends(const struct points *p, struct str *out) {
  int64_t low = 0, high = 0;
  double mean = 0;
  for (int64_t i = 0; i < p->count; i++) {
    low = p->y[i] < p->y[low] ? i : low;
    high = p->y[i] > p->y[high] ? i : high;
    mean += p->y[i] / (double)(i + 1) - mean / (double)(i + 1);
  }
  str_add(out, " smallest ");
  add_at(p, low, out);
  str_add(out, ", largest ");
  add_at(p, high, out);
  str_add(out, ", mean ");
  number_add(mean, out);
  str_add(out, ".");
}

// ---- Turns ----

struct turns {
  int64_t at[TURNS_TOLD];
  int64_t count; // of all
};

static void add_turn(struct turns *t, int64_t at) {
  if (t->count < TURNS_TOLD)
    t->at[t->count] = at;
  t->count++;
}

// The points at which it turns by more than `least`: `way` is 1 while it rises, -1
// while it falls, 0 as long as neither is told.
static struct turns turns_of(const struct points *p, double least) {
  struct turns t = {.count = 0};
  int64_t low = 0, high = 0;
  int way = 0;
  for (int64_t i = 1; i < p->count; i++) {
    double v = p->y[i];
    low = v < p->y[low] ? i : low;
    high = v > p->y[high] ? i : high;
    if (way >= 0 && p->y[high] / 2 - v / 2 > least / 2) {
      if (way > 0 || high > 0)
        add_turn(&t, high);
      way = -1;
      low = i;
      high = i;
    } else if (way <= 0 && v / 2 - p->y[low] / 2 > least / 2) {
      if (way < 0 || low > 0)
        add_turn(&t, low);
      way = 1;
      low = i;
      high = i;
    }
  }
  return t;
}

static bool is_steady(const struct points *p, int way) {
  for (int64_t i = 1; i < p->count; i++)
    if (way > 0 ? p->y[i] < p->y[i - 1] : p->y[i] > p->y[i - 1])
      return false;
  return true;
}

static void add_leg(const struct points *p, int64_t from, int64_t to,
                    bool is_first, struct str *out) {
  if (!is_first)
    str_add(out, ",");
  str_add(out, p->y[to] > p->y[from] ? " rises" : " falls");
  if (is_first) {
    str_add(out, " from ");
    add_at(p, from, out);
  }
  str_add(out, " to ");
  add_at(p, to, out);
}

static void add_legs(const struct points *p, const struct turns *t,
                     struct str *out) {
  int64_t from = 0;
  str_add(out, " It");
  for (int64_t i = 0; i < t->count; i++) {
    add_leg(p, from, t->at[i], i == 0, out);
    from = t->at[i];
  }
  add_leg(p, from, p->count - 1, t->count == 0, out);
  str_add(out, ".");
}

static void add_way(const struct points *p, const struct range *y,
                    struct str *out) {
  double least = (y->high / 2 - y->low / 2) / TURN_PART * 2;
  struct turns t = turns_of(p, least);
  if (is_steady(p, 1) || is_steady(p, -1)) {
    str_addf(out, " It %s all the way, from ",
             is_steady(p, 1) ? "rises" : "falls");
    add_at(p, 0, out);
    str_add(out, " to ");
    add_at(p, p->count - 1, out);
    str_add(out, ".");
  } else if (t.count <= TURNS_TOLD) {
    add_legs(p, &t, out);
  } else {
    str_addf(out,
             " It turns %lld times by more than a tenth of that range, "
             "and goes from ",
             (long long)t.count);
    add_at(p, 0, out);
    str_add(out, " to ");
    add_at(p, p->count - 1, out);
    str_add(out, ".");
  }
}

// ---- A series ----

static void add_count(const struct series *s, const struct chart *c,
                      struct str *out) {
  struct range y = {0};
  str_addf(out, "%s: %lld value%s over %s", s->name, (long long)s->count,
           s->count == 1 ? "" : "s", c->x_name ? c->x_name : "its index");
  for (int64_t i = 0; i < s->count; i++)
    range_add(&y, s->x && isfinite(s->y[i]) ? s->x[i] : s->y[i]);
  if (y.nans)
    str_addf(out, ", %lld NaN left out", (long long)y.nans);
  if (y.infinite)
    str_addf(out, ", %lld infinite left out", (long long)y.infinite);
}

static void say_series(const struct series *s, const struct chart *c,
                       struct str *out) {
  struct points p = points_of(s);
  struct range y = {0};
  add_count(s, c, out);
  for (int64_t i = 0; i < p.count; i++)
    range_add(&y, p.y[i]);
  if (!p.count) {
    str_add(out, "; there is nothing to show.");
  } else if (y.low == y.high) {
    str_add(out, p.count == 1 ? ": it is " : ": all are ");
    number_add(y.low, out);
    str_add(out, ".");
  } else {
    str_add(out, ":");
    add_ends(&p, out);
    if (!c->is_points)
      add_way(&p, &y, out);
  }
  str_add(out, "\n");
  points_free(&p);
}

void chart_say(const struct chart *c, struct str *out) {
  for (int k = 0; k < c->count; k++)
    say_series(&c->series[k], c, out);
}

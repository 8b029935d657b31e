// SPDX-License-Identifier: Apache-2.0
// Likenesses of value: each element is the right one with something done to it,
// or the right one of another place.
#include "grade/resemble/resemble_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/resemble/resemble_like.h"

// Does what element `i` should be by this likeness go to `*out`? False: it says
// nothing of that element.
struct value_row {
  bool (*value)(const struct wrong *w, size_t i, double number, double *out);
  // The number that it goes by, from one element; NULL: none.
  bool (*find)(const struct wrong *w, size_t i, double *number);
  const char *text; // "$" is the array, "#" the number
};

static bool at(const struct wrong *w, size_t k, double *out) {
  *out = k < w->count ? w->want[k] : 0;
  return k < w->count;
}

static bool negated(const struct wrong *w, size_t i, double c, double *out) {
  (void)c;
  *out = -w->want[i];
  return true;
}
static bool unsigned_of(const struct wrong *w, size_t i, double c,
                        double *out) {
  (void)c;
  *out = fabs(w->want[i]);
  return true;
}
static bool zero(const struct wrong *w, size_t i, double c, double *out) {
  (void)w, (void)i, (void)c;
  *out = 0;
  return true;
}
static bool not_negative(const struct wrong *w, size_t i, double c,
                         double *out) {
  (void)c;
  *out = w->want[i] < 0 ? 0 : w->want[i];
  return true;
}
static bool truncated(const struct wrong *w, size_t i, double c, double *out) {
  (void)c;
  *out = trunc(w->want[i]);
  return true;
}
static bool squared(const struct wrong *w, size_t i, double c, double *out) {
  (void)c;
  *out = w->want[i] * w->want[i];
  return true;
}
static bool inverse(const struct wrong *w, size_t i, double c, double *out) {
  (void)c;
  *out = 1 / w->want[i];
  return true;
}
static bool times(const struct wrong *w, size_t i, double c, double *out) {
  *out = c * w->want[i];
  return true;
}
static bool plus(const struct wrong *w, size_t i, double c, double *out) {
  *out = w->want[i] + c;
  return true;
}
static bool reversed(const struct wrong *w, size_t i, double c, double *out) {
  (void)c;
  return at(w, w->count - 1 - i, out);
}
static bool from_left(const struct wrong *w, size_t i, double c, double *out) {
  (void)c;
  return at(w, i - 1, out);
}
static bool from_right(const struct wrong *w, size_t i, double c, double *out) {
  (void)c;
  return at(w, i + 1, out);
}
static bool of_first_block(const struct wrong *w, size_t i, double c,
                           double *out) {
  (void)c;
  return !w->exercise->most_launches && at(w, i % wrong_threads(w), out);
}
static bool of_thread_0(const struct wrong *w, size_t i, double c,
                        double *out) {
  (void)c;
  return !w->exercise->most_launches && at(w, i - i % wrong_threads(w), out);
}
static bool of_first(const struct wrong *w, size_t i, double c, double *out) {
  (void)i, (void)c;
  return at(w, 0, out);
}
static bool own_index(const struct wrong *w, size_t i, double c, double *out) {
  (void)w, (void)c;
  *out = (double)i;
  return true;
}

static bool is_plain(double x) {
  return isfinite(x) && x != 0;
}

// The number with the fewest digits that is as near as roundings leave it: 0.5,
// not 0.49999997. `error` is how far `x` itself may be off.
static double shortest(double x, double error) {
  for (int digits = 1; digits <= 4; digits++) {
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, x);
    double round = strtod(text, NULL);
    if (fabs(round - x) <= 5e-7 * fabs(x) + error)
      return round;
  }
  return x;
}

static bool find_factor(const struct wrong *w, size_t i, double *out) {
  *out = shortest(w->got[i] / w->want[i], 0);
  return is_plain(w->got[i]) && is_plain(w->want[i]) && is_plain(*out) &&
         fabs(*out - 1) > 1e-3 && *out != -1;
}
static bool find_distance(const struct wrong *w, size_t i, double *out) {
  // Two sums that were rounded otherwise: 1, and not 1.0000006.
  double scale = fmax(fabs(w->got[i]), fabs(w->want[i]));
  *out = shortest(w->got[i] - w->want[i], 8 * w->step * scale);
  return isfinite(w->got[i]) && isfinite(w->want[i]) && is_plain(*out);
}

static const struct value_row rows[] = {
    {negated, NULL, "Each element of $ is the right one with the other sign."},
    {unsigned_of, NULL, "Each element of $ is the right one without its sign."},
    {zero, NULL, "Each element of $ is 0."},
    {not_negative, NULL,
     "Where an element of $ should be negative it is 0; the others are right."},
    {truncated, NULL,
     "Each element of $ is the right one without what stands behind the point, "
     "as an int holds it."},
    {squared, NULL, "Each element of $ is the square of the right one."},
    {inverse, NULL, "Each element of $ is 1 divided by the right one."},
    {times, find_factor, "Each element of $ is # times the right one."},
    {plus, find_distance, "Each element of $ is the right one plus #."},
    {reversed, NULL, "$ holds the right elements from the last to the first."},
    {from_left, NULL,
     "Each element of $ is what the one before it should be: $[i] holds what "
     "belongs into $[i - 1]."},
    {from_right, NULL,
     "Each element of $ is what the one behind it should be: $[i] holds what "
     "belongs into $[i + 1]."},
    {of_first_block, NULL,
     "Each block's part of $ holds what belongs into the first block's part: "
     "$[i] is what $[i % blockDim.x] should be."},
    {of_thread_0, NULL,
     "All of a block's elements of $ are what the first of them should be."},
    {of_first, NULL, "All elements of $ are what $[0] should be."},
    {own_index, NULL, "Each element of $ is its own index: $[i] is i."},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool find_number(struct like *l, const struct wrong *w) {
  for (size_t i = 0; i < w->count; i++)
    if (!w->is_right[i] && rows[l->row].find(w, i, &l->number))
      return true;
  return false;
}

static bool holds(struct like *l, const struct wrong *w, bool is_first_case) {
  if (rows[l->row].find && is_first_case && !find_number(l, w))
    return false;
  for (size_t i = 0; i < w->count; i++) {
    double v;
    if (!rows[l->row].value(w, i, l->number, &v))
      continue;
    if (!wrong_is_near(w, w->got[i], v, w->want[i]))
      return false;
    l->evidence +=
        !w->is_right[i] && !wrong_is_near(w, w->want[i], v, 4 * w->want[i]);
  }
  return true;
}

static void tell(const struct like *l, const struct exercise *ex, int param,
                 struct str *out) {
  for (const char *c = rows[l->row].text; *c; c++)
    if (*c == '$')
      str_add(out, ex->params[param].name);
    else if (*c == '#')
      str_addf(out, "%.9g", l->number);
    else
      str_add_char(out, *c);
}

// ---- A matrix ----

static bool is_transposed(const struct wrong *w, size_t high, size_t wide,
                          uint64_t *evidence) {
  for (size_t i = 0; i < w->count; i++) {
    double v = w->want[i % high * wide + i / high];
    if (!wrong_is_near(w, w->got[i], v, w->want[i]))
      return false;
    *evidence +=
        !w->is_right[i] && !wrong_is_near(w, w->want[i], v, 4 * w->want[i]);
  }
  return true;
}

// Whose numbers of rows and columns are two of the kernel's numbers, in one
// order or the other.
static bool holds_transposed(struct like *l, const struct wrong *w,
                             bool is_first_case) {
  const struct exercise *ex = w->exercise;
  (void)is_first_case;
  for (int a = 0; a < ex->param_count; a++)
    for (int b = 0; b < ex->param_count; b++) {
      uint64_t high = (uint64_t)w->in->args[a].integer, evidence = 0;
      uint64_t wide = (uint64_t)w->in->args[b].integer;
      if (a == b || ex->params[a].direction != PARAM_VALUE ||
          ex->params[b].direction != PARAM_VALUE || high < 2 || wide < 2 ||
          high > w->count || high * wide != w->count ||
          !is_transposed(w, high, wide, &evidence))
        continue;
      l->evidence += evidence;
      return true;
    }
  return false;
}

static void tell_transposed(const struct like *l, const struct exercise *ex,
                            int param, struct str *out) {
  (void)l;
  str_addf(out, "%s holds the right elements with rows and columns exchanged.",
           ex->params[param].name);
}

// ---- Weaker ones ----

static double *sorted(const double *values, size_t count) {
  double *own = xcalloc(count + 1, sizeof *own);
  memcpy(own, values, count * sizeof *own);
  median_sort(own, count);
  return own;
}

static bool is_number(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (isnan(values[i]))
      return false;
  return true;
}

// The right values, each as often as it should be, at other places.
static bool is_moved(struct like *l, const struct wrong *w,
                     bool is_first_case) {
  (void)is_first_case;
  if (!is_number(w->got, w->count) || !is_number(w->want, w->count))
    return false;
  double *a = sorted(w->got, w->count), *b = sorted(w->want, w->count);
  bool holds = true;
  for (size_t i = 0; i < w->count && holds; i++) {
    holds = wrong_is_near(w, a[i], b[i], 0);
    l->evidence += i && b[i] != b[i - 1] && !w->is_right[i];
  }
  free(a);
  free(b);
  return holds;
}

// As sum or difference of two that were made integers, at most.
static bool is_whole(struct like *l, const struct wrong *w,
                     bool is_first_case) {
  (void)is_first_case;
  for (size_t i = 0; i < w->count; i++) {
    bool has_int = fabs(w->want[i]) < 2147483648.0; // or who knows
    if (!isfinite(w->got[i]) || w->got[i] != trunc(w->got[i]) ||
        (has_int && fabs(w->got[i] - w->want[i]) >= 2))
      return false;
    l->evidence += w->want[i] != trunc(w->want[i]);
  }
  return w->step > 0;
}

static bool is_close(struct like *l, const struct wrong *w,
                     bool is_first_case) {
  (void)is_first_case;
  for (size_t i = 0; i < w->count; i++) {
    if (!(fabs(w->got[i] - w->want[i]) <= 1e-4 * fabs(w->want[i])))
      return false;
    l->evidence += !w->is_right[i];
  }
  return w->step > 0;
}

static void tell_moved(const struct like *l, const struct exercise *ex,
                       int param, struct str *out) {
  (void)l;
  str_addf(out, "%s holds the right values, at other places.",
           ex->params[param].name);
}
static void tell_whole(const struct like *l, const struct exercise *ex,
                       int param, struct str *out) {
  (void)l;
  str_addf(out,
           "All elements of %s are whole numbers, and the right ones are not: "
           "an int holds no fraction.",
           ex->params[param].name);
}
static void tell_close(const struct like *l, const struct exercise *ex,
                       int param, struct str *out) {
  (void)l;
  str_addf(out,
           "Each element of %s is within a ten-thousandth of the right one, "
           "which is more than the exercise allows.",
           ex->params[param].name);
}

void resemble_add_values(struct like_list *list) {
  static const struct like others[] = {
      {.holds = holds_transposed, .tell = tell_transposed},
      {.holds = is_moved, .tell = tell_moved, .weakness = 1},
      {.holds = is_whole, .tell = tell_whole, .weakness = 1},
      {.holds = is_close, .tell = tell_close, .weakness = 1},
  };
  for (int i = 0; i < ROWS; i++)
    like_add(list, &(struct like){.holds = holds, .tell = tell, .row = i});
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    like_add(list, &others[i]);
}

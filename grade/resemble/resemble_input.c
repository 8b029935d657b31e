// SPDX-License-Identifier: Apache-2.0
// Likenesses to the inputs: each element is some expression of the arguments, or
// the sum of some of a block's elements.
#include "grade/resemble/resemble_input.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "grade/resemble/resemble_like.h"

// ---- Expressions of elements with the same index ----

// Of arrays A and B, the first element b of B, and a number S. Where `is_even` A and B may be exchanged.
static const struct {
  const char *text;
  bool is_even;
} forms[] = {
#define FORM(text, is_even, value) {text, is_even},
#include "grade/resemble/resemble.def"
#undef FORM
};
enum { FORMS = sizeof forms / sizeof *forms };

// As wide as the type is: a float's overflow is one here, too.
static double narrow(const struct wrong *w, double x) {
  return w->dtype == DTYPE_F32 ? (double)(float)x : x;
}

static double compute(const struct wrong *w, int form, double A, double B,
                      double b, double S) {
  int row = 0;
#define FORM(text, is_even, value)                                             \
  if (form == row++)                                                           \
    return narrow(w, value);
#include "grade/resemble/resemble.def"
#undef FORM
  return NAN;
}

static double number_of(const struct wrong *w, int param) {
  if (param < 0)
    return 0;
  enum dtype t = w->exercise->params[param].dtype;
  const struct case_arg *a = &w->in->args[param];
  return dtype_kind(t) != 'f' ? (double)a->integer
         : t == DTYPE_F32     ? (double)(float)a->number
                              : a->number;
}

static double element_of(const struct wrong *w, int param, size_t i) {
  return param < 0 ? 0
                   : compare_element(w->exercise->params[param].dtype,
                                     w->in->args[param].data, i);
}

static bool fits(const struct wrong *w, int param) {
  return param < 0 || w->in->args[param].count >= w->count;
}

static bool holds_form(struct like *l, const struct wrong *w,
                       bool is_first_case) {
  double s = number_of(w, l->scalar);
  (void)is_first_case;
  if (!fits(w, l->a) || !fits(w, l->b))
    return false;
  double first = element_of(w, l->b, 0);
  for (size_t i = 0; i < w->count; i++) {
    double a = element_of(w, l->a, i), b = element_of(w, l->b, i);
    double v = compute(w, l->row, a, b, first, s);
    double most = fmax(fabs(a), fmax(fabs(b), fabs(first)));
    double scale = most * fmax(1, fabs(s));
    if (!wrong_is_near(w, w->got[i], v, isfinite(scale) ? scale : 0))
      return false;
    l->evidence +=
        !w->is_right[i] && !wrong_is_near(w, w->want[i], v, 4 * scale);
  }
  return true;
}

static void tell_form(const struct like *l, const struct exercise *ex,
                      int param, struct str *out) {
  str_addf(out, "%s[i] is ", ex->params[param].name);
  for (const char *c = forms[l->row].text; *c; c++)
    if (*c == 'A' || *c == 'B')
      str_addf(out, "%s[i]", ex->params[*c == 'A' ? l->a : l->b].name);
    else if (*c == 'b')
      str_addf(out, "%s[0]", ex->params[l->b].name);
    else if (*c == 'S')
      str_add(out, ex->params[l->scalar].name);
    else
      str_add_char(out, *c);
  str_add(out, " in each element");
  for (int k = 0; k < ex->param_count; k++)
    if ((k == l->a || k == l->b) && ex->params[k].direction == PARAM_INOUT)
      str_addf(out, ", where %s[i] is the old value", ex->params[k].name);
  str_add_char(out, '.');
}

static bool is_array(const struct exercise_param *p) {
  return p->direction == PARAM_IN || p->direction == PARAM_INOUT;
}

static bool is_number(const struct exercise_param *p) {
  return p->direction == PARAM_VALUE;
}

static void add_forms(struct like_list *list, const struct exercise *ex, int a,
                      int b) {
  for (int f = 0; f < FORMS; f++) {
    bool has_b = strpbrk(forms[f].text, "Bb") != NULL;
    bool has_s = strchr(forms[f].text, 'S') != NULL;
    if (has_b != (b >= 0) || (has_b && forms[f].is_even && a > b))
      continue;
    struct like l = {.holds = holds_form,
                     .tell = tell_form,
                     .row = f,
                     .a = a,
                     .b = b,
                     .scalar = -1};
    for (int s = 0; s < ex->param_count && has_s; s++)
      if (is_number(&ex->params[s])) {
        l.scalar = s;
        like_add(list, &l);
      }
    if (!has_s)
      like_add(list, &l);
  }
}

void resemble_add_inputs(struct like_list *list, const struct exercise *ex,
                         int param) {
  (void)param;
  for (int a = 0; a < ex->param_count; a++) {
    if (!is_array(&ex->params[a]))
      continue;
    add_forms(list, ex, a, -1);
    for (int b = 0; b < ex->param_count; b++)
      if (b != a && is_array(&ex->params[b]))
        add_forms(list, ex, a, b);
  }
}

// ---- Sums of a block's elements ----

// Of the B cells of a block, is cell `k` in it?
static bool is_lower(size_t k, size_t B) {
  return k < B / 2;
}
static bool is_upper(size_t k, size_t B) {
  return k >= B / 2;
}
static bool is_first(size_t k, size_t B) {
  return (void)B, k == 0;
}
static bool is_last(size_t k, size_t B) {
  return k == B - 1;
}
static bool is_behind_first(size_t k, size_t B) {
  return (void)B, k > 0;
}
static bool is_before_last(size_t k, size_t B) {
  return k < B - 1;
}
static bool is_even(size_t k, size_t B) {
  return (void)B, k % 2 == 0;
}
static bool is_odd(size_t k, size_t B) {
  return (void)B, k % 2 == 1;
}
static bool is_in_warp(size_t k, size_t B) {
  return k < 32 && B > 64;
}
static bool is_any(size_t k, size_t B) {
  return (void)k, (void)B, true;
}

static const struct {
  bool (*has)(size_t k, size_t B);
  char kind;        // '+': added up; '>', '<': the largest, the smallest
  const char *text; // behind "$ holds for each block "
} sums[] = {
    {is_lower, '+', "the sum of its first half of elements of %"},
    {is_upper, '+', "the sum of its second half of elements of %"},
    {is_first, '+', "its first element of % alone: nothing is added to it"},
    {is_last, '+', "its last element of % alone"},
    {is_behind_first, '+', "the sum of all its elements of % but the first"},
    {is_before_last, '+', "the sum of all its elements of % but the last"},
    {is_even, '+',
     "the sum of every second of its elements of %, from the "
     "first on"},
    {is_odd, '+',
     "the sum of every second of its elements of %, from the "
     "second on"},
    {is_in_warp, '+', "the sum of its first 32 elements of %, those of a warp"},
    {is_any, '+', "the sum of its elements of %"},
    {is_any, '>', "the largest of its elements of %"},
    {is_any, '<', "the smallest of its elements of %"},
    {is_any, '/', "the mean of its elements of %"},
    {is_any, '2', "the sum of the squares of its elements of %"},
    {is_any, 'a', "the sum of its elements of % without their signs"},
};
enum { SUMS = sizeof sums / sizeof *sums };

// Of block `b`; `*scale` gets the size of what was added.
static double add_up(const struct like *l, const struct wrong *w, size_t b,
                     double *scale) {
  size_t threads = wrong_threads(w), count = w->in->args[l->a].count, used = 0;
  double all = 0;
  char kind = sums[l->row].kind;
  *scale = 0;
  for (size_t k = 0; k < threads && b * threads + k < count; k++) {
    if (!sums[l->row].has(k, threads))
      continue;
    double x = element_of(w, l->a, b * threads + k);
    x = kind == '2' ? x * x : kind == 'a' ? fabs(x) : x;
    *scale += fabs(x);
    all = !used++       ? x
          : kind == '>' ? fmax(all, x)
          : kind == '<' ? fmin(all, x)
                        : all + x;
  }
  return kind == '/' && used ? all / (double)used : all;
}

static bool holds_sum(struct like *l, const struct wrong *w,
                      bool is_first_case) {
  (void)is_first_case;
  if (!wrong_is_flat(w) || w->count != wrong_blocks(w) ||
      wrong_threads(w) < 2 ||
      w->in->args[l->a].count > w->count * wrong_threads(w))
    return false;
  for (size_t b = 0; b < w->count; b++) {
    double scale, v = add_up(l, w, b, &scale);
    if (!wrong_is_near(w, w->got[b], v, scale))
      return false;
    l->evidence +=
        !w->is_right[b] && !wrong_is_near(w, w->want[b], v, 4 * scale);
  }
  return true;
}

static void tell_sum(const struct like *l, const struct exercise *ex, int param,
                     struct str *out) {
  str_addf(out, "%s holds for each block ", ex->params[param].name);
  for (const char *c = sums[l->row].text; *c; c++)
    if (*c == '%')
      str_add(out, ex->params[l->a].name);
    else
      str_add_char(out, *c);
  str_add(out, ".");
}

void resemble_add_sums(struct like_list *list, const struct exercise *ex,
                       int param) {
  (void)param;
  for (int a = 0; a < ex->param_count; a++)
    for (int i = 0; i < SUMS && is_array(&ex->params[a]); i++)
      like_add(list, &(struct like){.holds = holds_sum,
                                    .tell = tell_sum,
                                    .row = i,
                                    .a = a,
                                    .b = -1,
                                    .scalar = -1});
}

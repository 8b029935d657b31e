// SPDX-License-Identifier: Apache-2.0
// Arrays as text: NumPy's layout (aligned columns, "..." above 1000 elements,
// at most 8 digits behind the point), with three changes: whole numbers show no
// point, what fits one line is not padded, and the type always follows:
// array([1, 2, 3], f32).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/np.h"

enum { THRESHOLD = 1000, EDGE = 3, PRECISION = 8, LINE = 75 };

struct text {
  luaL_Buffer *out;
  const struct array *a;
  bool is_cut;     // only edges are shown
  char kind;       // of the dtype
  bool is_exp;     // floats as 1.5e+10
  int left, right; // digits before (with sign) and behind the point
  int width;       // of one element
  int column;      // in the current line
};

// ---- One number ----

// Shortest text that reads back as the same value of type `t`, as %e.
static void shortest(char *out, size_t size, enum dtype t, double v) {
  for (int digits = 0; digits < 17; digits++) {
    snprintf(out, size, "%.*e", digits, v);
    double back = strtod(out, NULL), same;
    char bits[8];
    kernel_cast(t, DTYPE_F64)(bits, 0, (char *)&back, 0, 1);
    kernel_cast(DTYPE_F64, t)((char *)&same, 0, bits, 0, 1);
    if (same == v)
      return;
  }
}

// Digits behind the point that the shortest text needs, at most PRECISION.
static int needed_digits(enum dtype t, double v, bool is_exp) {
  char text[40];
  shortest(text, sizeof text, t, v);
  char *e = strchr(text, 'e');
  int exponent = atoi(e + 1);
  int digits = (int)(e - text) - (text[0] == '-') - 1; // without the first
  digits = digits > 0 ? digits - 1 : 0;                // without the point
  int behind = is_exp ? digits : digits - exponent;
  return behind < 0 ? 0 : behind > PRECISION ? PRECISION : behind;
}

static void drop_zeros(char *s) {
  char *point = strchr(s, '.');
  size_t n = strlen(s);
  while (point && n > 0 && (s[n - 1] == '0' || s + n - 1 == point)) {
    bool at_point = s + n - 1 == point;
    s[--n] = 0;
    if (at_point)
      break;
  }
}

static void format_float(const struct text *t, double v, char *out,
                         size_t size) {
  if (isnan(v))
    snprintf(out, size, "nan");
  else if (isinf(v))
    snprintf(out, size, v < 0 ? "-inf" : "inf");
  else if (t->is_exp)
    snprintf(out, size, "%.*e", t->right, v);
  else
    snprintf(out, size, "%.*f", t->right, v);
  if (isfinite(v) && !t->is_exp)
    drop_zeros(out);
}

static void format_element(const struct text *t, const char *p, char *out,
                           size_t size) {
  enum dtype d = t->a->dtype;
  if (d == DTYPE_BOOL) {
    snprintf(out, size, *p ? "true" : "false");
  } else if (t->kind == 'f') {
    double v;
    kernel_cast(DTYPE_F64, d)((char *)&v, 0, p, 0, 1);
    format_float(t, v, out, size);
  } else if (d == DTYPE_U64) {
    snprintf(out, size, "%llu", (unsigned long long)*(const uint64_t *)p);
  } else {
    int64_t v;
    kernel_cast(DTYPE_I64, d)((char *)&v, 0, p, 0, 1);
    snprintf(out, size, "%lld", (long long)v);
  }
}

// ---- All shown elements ----

typedef void (*visit)(struct text *t, void *context, const char *p);

static bool is_hidden(const struct text *t, int64_t n, int64_t i) {
  return t->is_cut && n > 2 * EDGE && i >= EDGE && i < n - EDGE;
}

static void each_shown(struct text *t, int d, const char *p, visit f,
                       void *context) {
  if (d == t->a->ndim) {
    f(t, context, p);
    return;
  }
  for (int64_t i = 0; i < t->a->shape[d]; i++) {
    if (is_hidden(t, t->a->shape[d], i))
      i = t->a->shape[d] - EDGE;
    each_shown(t, d + 1, p + i * t->a->strides[d], f, context);
  }
}

struct range {
  double min, max; // of the magnitudes that are finite and not 0
  bool all_whole;
};

static void note_range(struct text *t, void *context, const char *p) {
  struct range *r = context;
  double v;
  kernel_cast(DTYPE_F64, t->a->dtype)((char *)&v, 0, p, 0, 1);
  if (!isfinite(v) || v == 0)
    return;
  r->min = fmin(r->min, fabs(v));
  r->max = fmax(r->max, fabs(v));
  r->all_whole = r->all_whole && v == rint(v);
}

static void note_digits(struct text *t, void *context, const char *p) {
  double v;
  (void)context;
  kernel_cast(DTYPE_F64, t->a->dtype)((char *)&v, 0, p, 0, 1);
  if (!isfinite(v) || v == 0)
    return;
  int n = needed_digits(t->a->dtype, v, t->is_exp);
  t->right = n > t->right ? n : t->right;
}

// nan, inf and -inf end where the widest number ends.
static bool is_word(const struct text *t, const char *s) {
  return t->kind == 'f' && !strpbrk(s, "0123456789");
}

struct widths {
  int behind; // the point, which included
  int word;   // nan and inf, which have no point
};

// Widths on both sides of the point, so that points stand under each other.
static void note_width(struct text *t, void *context, const char *p) {
  char s[400];
  struct widths *w = context;
  format_element(t, p, s, sizeof s);
  if (is_word(t, s)) {
    w->word = w->word > (int)strlen(s) ? w->word : (int)strlen(s);
    return;
  }
  const char *point = strchr(s, '.');
  int n = (int)strlen(s);
  int left = point && !t->is_exp ? (int)(point - s) : n;
  t->left = left > t->left ? left : t->left;
  w->behind = n - left > w->behind ? n - left : w->behind;
}

static void add_length(struct text *t, void *context, const char *p) {
  char s[400];
  int *length = context;
  format_element(t, p, s, sizeof s);
  *length += (int)strlen(s) + 2;
}

// One line of numbers is not padded: there is nothing to align it with.
static bool fits_one_line(struct text *t) {
  int length = 7 + 5; // "array([" and "..., "
  if (t->a->ndim > 1)
    return false;
  each_shown(t, 0, array_data(t->a), add_length, &length);
  return length < LINE;
}

static void choose_format(struct text *t) {
  const char *p = array_data(t->a);
  if (t->kind == 'f') {
    struct range r = {INFINITY, 0, true};
    each_shown(t, 0, p, note_range, &r);
    t->is_exp = r.max >= 1e8 || (r.max > 0 && !r.all_whole &&
                                 (r.min < 1e-4 || r.max / r.min > 1000));
    each_shown(t, 0, p, note_digits, NULL);
  }
  struct widths w = {0, 0};
  each_shown(t, 0, p, note_width, &w);
  if (w.word > t->left + w.behind)
    t->left = w.word - w.behind;
  t->width = fits_one_line(t) ? 0 : t->left + w.behind;
}

// ---- The layout ----

static void put(struct text *t, const char *s) {
  luaL_addstring(t->out, s);
  t->column += (int)strlen(s);
}

static void new_line(struct text *t, int indent) {
  luaL_addchar(t->out, '\n');
  t->column = 0;
  while (t->column < indent)
    put(t, " ");
}

static void put_element(struct text *t, const char *p) {
  char s[400], padded[840];
  format_element(t, p, s, sizeof s);
  const char *point = t->is_exp ? NULL : strchr(s, '.');
  int left = point ? (int)(point - s) : (int)strlen(s);
  if (t->width == 0) {
    put(t, s);
    return;
  }
  int lead = is_word(t, s) ? t->width - left : t->left - left;
  snprintf(padded, sizeof padded, "%*s%s", lead, "", s);
  size_t n = strlen(padded);
  snprintf(padded + n, sizeof padded - n, "%*s", t->width - (int)n, "");
  put(t, padded);
}

static void put_axis(struct text *t, int d, const char *p);

// A row of numbers, broken before it gets too long.
static void put_row(struct text *t, const char *p) {
  int d = t->a->ndim - 1, indent = 6 + t->a->ndim;
  int64_t n = t->a->shape[d];
  for (int64_t i = 0; i < n; i++) {
    bool hidden = is_hidden(t, n, i);
    int width = hidden ? 3 : t->width;
    if (i > 0) {
      put(t, ",");
      if (t->column + 1 + width >= LINE)
        new_line(t, indent);
      else
        put(t, " ");
    }
    if (hidden) {
      put(t, "...");
      i = n - EDGE - 1;
    } else {
      put_element(t, p + i * t->a->strides[d]);
    }
  }
}

static void put_blocks(struct text *t, int d, const char *p) {
  int64_t n = t->a->shape[d];
  for (int64_t i = 0; i < n; i++) {
    if (i > 0) {
      put(t, ",");
      for (int k = d; k + 2 < t->a->ndim; k++)
        luaL_addchar(t->out, '\n');
      new_line(t, 7 + d);
    }
    if (is_hidden(t, n, i)) {
      put(t, "...");
      i = n - EDGE - 1;
    } else {
      put_axis(t, d + 1, p + i * t->a->strides[d]);
    }
  }
}

static void put_axis(struct text *t, int d, const char *p) {
  if (d == t->a->ndim) {
    put_element(t, p);
    return;
  }
  put(t, "[");
  if (d == t->a->ndim - 1)
    put_row(t, p);
  else
    put_blocks(t, d, p);
  put(t, "]");
}

static void push_elsewhere(lua_State *L, const struct array *a) {
  char shape[ARRAY_SHAPE_TEXT];
  array_shape_text(shape, a->ndim, a->shape);
  lua_pushfstring(L, "array on %s, shape %s, %s%s", array_where(a), shape,
                  dtype_name(a->dtype),
                  a->storage->is_freed  ? " - freed"
                  : a->storage->is_lost ? " - lost with its device"
                                        : " - x:copy_to_host() shows it");
}

void array_push_text(lua_State *L, struct array *a, const char *name) {
  if (array_is_device(a)) {
    push_elsewhere(L, a);
    return;
  }
  array_await(L, a, false);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  struct text t = {.out = &b, .a = a, .kind = dtype_kind(a->dtype)};
  int64_t n = array_count(a);
  t.is_cut = n > THRESHOLD;
  put(&t, name);
  put(&t, "(");
  if (n == 0) {
    put(&t, "[]");
  } else {
    choose_format(&t);
    put_axis(&t, 0, array_data(a));
  }
  put(&t, ", ");
  if (n == 0 && (a->ndim != 1)) {
    char shape[ARRAY_SHAPE_TEXT];
    put(&t, "shape=");
    put(&t, array_shape_text(shape, a->ndim, a->shape));
    put(&t, ", ");
  }
  put(&t, dtype_name(a->dtype));
  put(&t, ")");
  luaL_pushresult(&b);
}

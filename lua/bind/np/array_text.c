// SPDX-License-Identifier: Apache-2.0
// Arrays as text: NumPy's layout (aligned columns, "..." above 1000 elements,
// at most 8 digits behind the point, unless np.set_printoptions says other
// numbers), with three changes: whole numbers show no
// point, what fits one line is not padded, and the type always follows:
// array([1, 2, 3], f32).
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/np/np.h"

// How arrays become text; np.set_printoptions changes it.
struct print_options {
  int precision; // digits behind the point
  int64_t threshold, edgeitems;
  int linewidth;
  bool suppress;  // small numbers without e-05
  char floatmode; // 'm' maxprec, 'u' unique, 'f' fixed
  char nanstr[16], infstr[16], separator[16];
};

struct text {
  luaL_Buffer *out;
  const struct array *a;
  const struct print_options *o;
  int lead, tail;  // columns before the first bracket and behind the last
  bool is_cut;     // only edges are shown
  char kind;       // of the dtype
  bool is_exp;     // floats as 1.5e+10
  int left, right; // digits before (with sign) and behind the point
  int width;       // of one element
  int column;      // in the current line
};

// ---- One number ----

// How many digits of any decimal number a type keeps (C17 5.2.4.2.2, *_DIG), and
// its least normal magnitude, below which it keeps fewer.
struct kept_digits {
  int count;
  double least;
};

static struct kept_digits kept_digits(enum dtype t) {
  switch (t) {
  case DTYPE_F16: return (struct kept_digits){3, 0x1p-14};
  case DTYPE_BF16: return (struct kept_digits){2, FLT_MIN};
  case DTYPE_F32: return (struct kept_digits){FLT_DIG, FLT_MIN};
  case DTYPE_F64: return (struct kept_digits){DBL_DIG, DBL_MIN};
  default: return (struct kept_digits){1, 0};
  }
}

// 1.500e+00 to 1.5e+00, 2.00e+00 to 2e+00.
static void drop_mantissa_zeros(char *text) {
  char *e = strchr(text, 'e'), *end = e;
  if (!e || !strchr(text, '.'))
    return;
  while (end[-1] == '0')
    end--;
  if (end[-1] == '.')
    end--;
  memmove(end, e, strlen(e) + 1);
}

// Shortest text that reads back as the same value of type `t`, as %e. With as many
// digits as the type keeps the shorter ones end in zeros.
static void shortest(char *out, size_t size, enum dtype t, double v) {
  struct kept_digits kept = kept_digits(t);
  for (int digits = fabs(v) < kept.least ? 0 : kept.count - 1; digits < 17;
       digits++) {
    snprintf(out, size, "%.*e", digits, v);
    double back = strtod(out, NULL), same;
    char bits[8];
    kernel_cast(t, DTYPE_F64)(bits, 0, (char *)&back, 0, 1);
    kernel_cast(DTYPE_F64, t)((char *)&same, 0, bits, 0, 1);
    if (same == v)
      break;
  }
  drop_mantissa_zeros(out);
}

// Digits behind the point that the shortest text needs, at most as many as
// the precision says.
static int needed_digits(const struct text *t, double v) {
  char text[40];
  shortest(text, sizeof text, t->a->dtype, v);
  char *e = strchr(text, 'e');
  int exponent = atoi(e + 1);
  int digits = (int)(e - text) - (text[0] == '-') - 1; // without the first
  digits = digits > 0 ? digits - 1 : 0;                // without the point
  int behind = t->is_exp ? digits : digits - exponent;
  if (t->o->floatmode == 'f' ||
      (t->o->floatmode == 'm' && behind > t->o->precision))
    return t->o->precision;
  return behind < 0 ? 0 : behind;
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

// An element shows the digits that tell it from its neighbours in its type; with
// an exponent, as many as the others.
static void format_float(const struct text *t, double v, char *out,
                         size_t size) {
  int right = t->right;
  if (isfinite(v) && !t->is_exp && t->o->floatmode != 'f') {
    int needed = needed_digits(t, v);
    right = needed < right ? needed : right;
  }
  if (isnan(v))
    snprintf(out, size, "%s", t->o->nanstr);
  else if (isinf(v))
    snprintf(out, size, "%s%s", v < 0 ? "-" : "", t->o->infstr);
  else if (t->is_exp)
    snprintf(out, size, "%.*e", right, v);
  else
    snprintf(out, size, "%.*f", right, v);
  if (isfinite(v) && !t->is_exp && t->o->floatmode != 'f')
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
  int64_t edge = t->o->edgeitems;
  return t->is_cut && n > 2 * edge && i >= edge && i < n - edge;
}

static void each_shown(struct text *t, int d, const char *p, visit f,
                       void *context) {
  if (d == t->a->ndim) {
    f(t, context, p);
    return;
  }
  for (int64_t i = 0; i < t->a->shape[d]; i++) {
    if (is_hidden(t, t->a->shape[d], i))
      i = t->a->shape[d] - t->o->edgeitems;
    if (i == t->a->shape[d]) // no edge is shown
      break;
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
  if (!isfinite(v) || (v == 0 && t->o->floatmode != 'f'))
    return;
  int n = needed_digits(t, v);
  t->right = n > t->right ? n : t->right;
}

// nan, inf and -inf end where the widest number ends.
static bool is_word(const struct text *t, const char *s) {
  return t->kind == 'f' &&
         (!strcmp(s, t->o->nanstr) || !strcmp(s + (*s == '-'), t->o->infstr));
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
  int length = t->lead + 1 + 5; // "array([" and "..., "
  if (t->a->ndim > 1)
    return false;
  each_shown(t, 0, array_data(t->a), add_length, &length);
  return length < t->o->linewidth;
}

static void choose_format(struct text *t) {
  const char *p = array_data(t->a);
  if (t->kind == 'f') {
    struct range r = {INFINITY, 0, true};
    each_shown(t, 0, p, note_range, &r);
    t->is_exp = r.max >= 1e8 || (r.max > 0 && !r.all_whole && !t->o->suppress &&
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

// The separator without the spaces at its end; these come only within a line.
static void put_separator(struct text *t) {
  char s[sizeof t->o->separator];
  size_t n = strlen(t->o->separator);
  memcpy(s, t->o->separator, n + 1);
  while (n > 0 && s[n - 1] == ' ')
    s[--n] = 0;
  put(t, s);
}

static void put_gap(struct text *t) {
  const char *s = t->o->separator;
  size_t n = strlen(s);
  while (n > 0 && s[n - 1] == ' ')
    n--;
  put(t, s + n);
}

// A row of numbers, broken before it gets too long.
static void put_row(struct text *t, const char *p) {
  int d = t->a->ndim - 1, indent = t->lead + t->a->ndim;
  int64_t n = t->a->shape[d];
  // Room is left for every bracket and what follows the last.
  int last = t->o->linewidth - t->tail - t->a->ndim;
  for (int64_t i = 0; i < n; i++) {
    bool hidden = is_hidden(t, n, i);
    int width = hidden ? 3 : t->width;
    if (i > 0) {
      put_separator(t);
      if (t->column + 1 + width > last)
        new_line(t, indent);
      else
        put_gap(t);
    }
    if (hidden) {
      put(t, "...");
      i = n - t->o->edgeitems - 1;
    } else {
      put_element(t, p + i * t->a->strides[d]);
    }
  }
}

static void put_blocks(struct text *t, int d, const char *p) {
  int64_t n = t->a->shape[d];
  for (int64_t i = 0; i < n; i++) {
    if (i > 0) {
      put_separator(t);
      for (int k = d; k + 2 < t->a->ndim; k++)
        luaL_addchar(t->out, '\n');
      new_line(t, t->lead + 1 + d);
    }
    if (is_hidden(t, n, i)) {
      put(t, "...");
      i = n - t->o->edgeitems - 1;
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
  lua_pushfstring(L, "array on %s, shape %s, %s", array_where(L, a), shape,
                  dtype_name(a->dtype));
  if (a->storage->is_freed || a->storage->is_lost) {
    lua_pushstring(L, a->storage->is_freed ? " - freed"
                                           : " - lost with its device");
  } else {
    const char *name = array_push_name(L, a, "");
    lua_pushfstring(L, *name ? " - %s:copy_to_host() shows it" : "%s", name);
    lua_remove(L, -2);
  }
  lua_concat(L, 2);
}

static void put_array(struct text *t) {
  t->is_cut = array_count(t->a) > t->o->threshold;
  t->kind = dtype_kind(t->a->dtype);
  if (array_count(t->a) == 0) {
    put(t, "[]");
    return;
  }
  choose_format(t);
  put_axis(t, 0, array_data(t->a));
}

static const char OPTIONS[] = "np.print_options";

static struct print_options *own_options(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, OPTIONS) == LUA_TNIL) {
    struct print_options *o = lua_newuserdatauv(L, sizeof *o, 0);
    *o = (struct print_options){.precision = 8,
                                .threshold = 1000,
                                .edgeitems = 3,
                                .linewidth = 75,
                                .floatmode = 'm',
                                .nanstr = "nan",
                                .infstr = "inf",
                                .separator = ", "};
    lua_setfield(L, LUA_REGISTRYINDEX, OPTIONS);
    lua_pop(L, 1);
    return o;
  }
  struct print_options *o = lua_touserdata(L, -1);
  lua_pop(L, 1); // the registry keeps it
  return o;
}

void array_push_text(lua_State *L, struct array *a, const char *name,
                     bool is_weak) {
  if (array_is_device(a)) {
    push_elsewhere(L, a);
    return;
  }
  array_await(L, a, false);
  const struct print_options *o = own_options(L);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  struct text t = {
      .out = &b, .a = a, .o = o, .lead = (int)strlen(name) + 1, .tail = 1};
  put(&t, name);
  put(&t, "(");
  put_array(&t);
  put(&t, ", ");
  if (array_count(a) == 0 && a->ndim != 1) {
    char shape[ARRAY_SHAPE_TEXT];
    put(&t, "shape=");
    put(&t, array_shape_text(shape, a->ndim, a->shape));
    put(&t, ", ");
  }
  put(&t, dtype_name(a->dtype));
  put(&t, is_weak ? ", weak_type=True)" : ")");
  luaL_pushresult(&b);
}

// ---- Options ----

static const struct {
  char mode;
  const char *name;
} float_modes[] = {{'m', "maxprec"}, {'u', "unique"}, {'f', "fixed"}};

// A whole number from 0 at index `i`; what was there where it is nil.
static int64_t check_count(lua_State *L, int i, int64_t old, const char *name) {
  if (lua_isnil(L, i))
    return old;
  lua_Number v = lua_tonumber(L, i);
  if (v == (lua_Number)INFINITY)
    return INT64_MAX;
  if (!lua_isinteger(L, i) || v < 0 || v > 1 << 30)
    bind_error(L, ERR_ARGUMENT, "%s is a whole number, not negative", name);
  return lua_tointeger(L, i);
}

static void check_text(lua_State *L, int i, char *to, size_t size) {
  if (lua_isnil(L, i))
    return;
  const char *s = luaL_checkstring(L, i);
  if (strlen(s) >= size)
    bind_error(L, ERR_ARGUMENT, "\"%s\" is longer than %d bytes", s,
               (int)size - 1);
  strcpy(to, s);
}

static char check_mode(lua_State *L, int i, char old) {
  if (lua_isnil(L, i))
    return old;
  const char *s = luaL_checkstring(L, i);
  for (size_t k = 0; k < sizeof float_modes / sizeof *float_modes; k++)
    if (!strcmp(s, float_modes[k].name))
      return float_modes[k].mode;
  bind_error(L, ERR_ARGUMENT,
             "floatmode is \"maxprec\", \"unique\" or \"fixed\", not \"%s\"",
             s);
}

static const char *const option_names[] = {
    "precision", "threshold", "edgeitems", "linewidth",
    "suppress",  "nanstr",    "infstr",    "floatmode"};

// The options at the indexes from `i` on, in that order.
static void read_options(lua_State *L, int i, struct print_options *o) {
  o->precision = (int)check_count(L, i, o->precision, "precision");
  if (o->precision > 60)
    o->precision = 60;
  o->threshold = check_count(L, i + 1, o->threshold, "threshold");
  o->edgeitems = check_count(L, i + 2, o->edgeitems, "edgeitems");
  o->linewidth = (int)check_count(L, i + 3, o->linewidth, "linewidth");
  if (!lua_isnil(L, i + 4))
    o->suppress = lua_toboolean(L, i + 4);
  check_text(L, i + 5, o->nanstr, sizeof o->nanstr);
  check_text(L, i + 6, o->infstr, sizeof o->infstr);
  o->floatmode = check_mode(L, i + 7, o->floatmode);
}

static int l_set_printoptions(lua_State *L) {
  np_spread(L, 1, "set_printoptions", option_names, 8);
  struct print_options o = *own_options(L);
  read_options(L, 1, &o);
  *own_options(L) = o;
  return 0;
}

static int l_get_printoptions(lua_State *L) {
  const struct print_options *o = own_options(L);
  lua_newtable(L);
  lua_pushinteger(L, o->precision);
  lua_setfield(L, -2, "precision");
  if (o->threshold == INT64_MAX)
    lua_pushnumber(L, (lua_Number)INFINITY);
  else
    lua_pushinteger(L, o->threshold);
  lua_setfield(L, -2, "threshold");
  lua_pushinteger(L, o->edgeitems);
  lua_setfield(L, -2, "edgeitems");
  lua_pushinteger(L, o->linewidth);
  lua_setfield(L, -2, "linewidth");
  lua_pushboolean(L, o->suppress);
  lua_setfield(L, -2, "suppress");
  lua_pushstring(L, o->nanstr);
  lua_setfield(L, -2, "nanstr");
  lua_pushstring(L, o->infstr);
  lua_setfield(L, -2, "infstr");
  for (size_t k = 0; k < sizeof float_modes / sizeof *float_modes; k++)
    if (float_modes[k].mode == o->floatmode)
      lua_pushstring(L, float_modes[k].name);
  lua_setfield(L, -2, "floatmode");
  return 1;
}

// array2string(a, options...): brackets and numbers alone.
static int l_array2string(lua_State *L) {
  static const char *const names[] = {
      "precision", "threshold", "edgeitems", "max_line_width", "suppress_small",
      "nanstr",    "infstr",    "floatmode", "separator",      "prefix"};
  np_check_any(L, 1);
  np_spread(L, 2, "array2string", names, 10);
  np_check_operand(L, 1);
  struct array *a = array_check_host(L, 1, "array2string");
  struct print_options o = *own_options(L);
  strcpy(o.separator, " ");
  read_options(L, 2, &o);
  check_text(L, 10, o.separator, sizeof o.separator);
  int lead = (int)strlen(luaL_optstring(L, 11, ""));
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  struct text t = {.out = &b, .a = a, .o = &o, .lead = lead, .column = lead};
  put_array(&t);
  luaL_pushresult(&b);
  return 1;
}

void np_open_print(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"set_printoptions", l_set_printoptions},
      {"get_printoptions", l_get_printoptions},
      {"array2string", l_array2string},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}

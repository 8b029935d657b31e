// SPDX-License-Identifier: Apache-2.0
// Elementwise operations: which type to compute in, conversion of the
// arguments, broadcasting, and the loop. The loops are in kernels/.
#include "lua/bind/np/np.h"

#include <math.h>
#include <string.h>

#include "lua/bind/np/array.h"

// ---- Arguments ----

// Weak scalars, as in NumPy 2: a Lua number takes the array's type unless its
// kind does not fit there (a float to integers, an integer to bools).
static enum dtype with_scalar(lua_State *L, enum dtype t, int i) {
  if (lua_isboolean(L, i))
    return t;
  if (lua_isinteger(L, i))
    return t == DTYPE_BOOL ? DTYPE_I64 : t;
  return dtype_kind(t) == 'f' ? t : DTYPE_F64;
}

static enum dtype scalar_dtype(lua_State *L, int i) {
  return lua_isboolean(L, i)   ? DTYPE_BOOL
         : lua_isinteger(L, i) ? DTYPE_I64
                               : DTYPE_F64;
}

// Makes the value at `i` an array or a scalar, in place; true for an array.
static bool prepare(lua_State *L, int i, const char *function) {
  if (lua_istable(L, i)) {
    array_push_from(L, i, DTYPE_COUNT);
    lua_replace(L, i);
  }
  if (lua_isboolean(L, i) || lua_type(L, i) == LUA_TNUMBER)
    return false;
  if (lua_type(L, i) != LUA_TUSERDATA)
    bind_error(L, ERR_ARGUMENT, "%s: %s is no array and no number", function,
               bind_value_text(L, i));
  array_check(L, i);
  return true;
}

// Two arrays must live in the same place.
static void check_places(lua_State *L, int a, int b, const char *function) {
  struct array *x = array_test(L, a), *y = array_test(L, b);
  if (x && y && array_is_device(x) != array_is_device(y))
    bind_error(L, ERR_ARGUMENT,
               "%s: one array lives on %s and the other on %s; "
               "cuda.to_device(%s) or %s:copy_to_host() brings them together",
               function, array_where(L, x), array_where(L, y),
               array_push_name(L, array_is_device(x) ? y : x, "x"),
               array_push_name(L, array_is_device(x) ? x : y, "dx"));
  if (x)
    array_check_host(L, a, function);
  if (y)
    array_check_host(L, b, function);
}

// Pushes the argument as an array of type `t`.
static struct array *push_as(lua_State *L, int i, enum dtype t) {
  struct array *a = array_test(L, i);
  if (a && a->dtype == t) {
    lua_pushvalue(L, i);
    return a;
  }
  if (a)
    return array_push_copy(L, a, t);
  struct array *s = array_push_host(L, t, 0, NULL);
  array_store_element(L, t, array_data(s), i);
  return s;
}

// An array without axes that Lua does not see: of a number beside an array.
struct scalar {
  struct array array;
  struct storage storage;
  uint64_t bits;
};

static struct array *set_scalar(lua_State *L, struct scalar *s, int i,
                                enum dtype t) {
  s->storage = (struct storage){.host = &s->bits};
  s->array.storage = &s->storage;
  s->array.offset = 0;
  s->array.dtype = t;
  s->array.ndim = 0;
  array_store_element(L, t, (char *)&s->bits, i);
  return &s->array;
}

// Of type `t` first: a number or an array beside 16-bit floats is rounded to
// them before it is computed with. What is made is pushed, but for a number,
// which goes into `s`.
static struct array *operand(lua_State *L, struct scalar *s, int i,
                             enum dtype t, enum dtype compute) {
  struct array *a = array_test(L, i);
  if (t == compute && !a)
    return set_scalar(L, s, i, t);
  if (!a || a->dtype != t)
    a = push_as(L, i, t);
  return t == compute ? a : array_push_copy(L, a, compute);
}

// The same, of a number that need not fit: it wraps, as C's casts do.
static struct array *push_cast(lua_State *L, int i, enum dtype t) {
  if (!lua_isinteger(L, i))
    return push_as(L, i, t);
  int64_t v = lua_tointeger(L, i);
  struct array *s = array_push_host(L, t, 0, NULL);
  kernel_cast(t, DTYPE_I64)(array_data(s), 0, (char *)&v, 0, 1);
  return s;
}

// ---- Types ----

static bool is_small_float(enum dtype t) {
  return t == DTYPE_F16 || t == DTYPE_BF16;
}

// The float type in which NumPy computes exp and its like.
static enum dtype float_dtype(enum dtype t, bool narrow) {
  if (dtype_kind(t) == 'f')
    return t;
  if (!narrow || dtype_bytes(t) >= 4)
    return DTYPE_F64;
  return dtype_bytes(t) == 1 ? DTYPE_F16 : DTYPE_F32;
}

static enum dtype loop_dtype(enum dtype t) {
  return is_small_float(t) ? DTYPE_F32 : t;
}

static void no_loop(lua_State *L, const char *function, enum dtype t) {
  const char *way = "";
  if (t == DTYPE_BOOL)
    way = "; use logical_xor or logical_not, or x:astype(\"i32\")";
  else if (dtype_kind(t) == 'f')
    way = "; it works on integers: x:astype(\"i32\")";
  bind_error(L, ERR_ARGUMENT, "%s is not defined for type %s%s", function,
             dtype_name(t), way);
}

// ---- Loops ----

static void binary_inner(void *context, char *const *p, const int64_t *s,
                         int64_t n) {
  kernel_binary_loop *loop = context;
  (*loop)(p[0], s[0], kernel_line(p[1], s[1]), kernel_line(p[2], s[2]), n);
}

static void unary_inner(void *context, char *const *p, const int64_t *s,
                        int64_t n) {
  kernel_unary_loop *loop = context;
  (*loop)(p[0], s[0], p[1], s[1], n);
}

// A result computed in f32 for a 16-bit float is rounded to it here.
static void finish(lua_State *L, struct array *r, enum dtype t, bool number) {
  if (r->dtype != t)
    r = array_push_copy(L, r, t);
  if (number) {
    array_push_element(L, r->dtype, array_data(r));
  }
}

static void refuse_negative_power(lua_State *L, const struct array *y) {
  if (dtype_kind(y->dtype) != 'i')
    return;
  struct array *c = array_push_copy(L, y, DTYPE_I64);
  const int64_t *v = array_data(c);
  for (int64_t i = 0, n = array_count(c); i < n; i++)
    if (v[i] < 0)
      bind_error(L, ERR_ARGUMENT,
                 "power: integers to negative integer powers are not integers; "
                 "convert first: x:astype(\"f64\")");
  lua_pop(L, 1);
}

static enum dtype binary_dtype(lua_State *L, enum kernel_binary op, int a,
                               int b) {
  struct array *x = array_test(L, a), *y = array_test(L, b);
  enum dtype t;
  if (x && y)
    t = dtype_promote(x->dtype, y->dtype);
  else if (x)
    t = with_scalar(L, x->dtype, b);
  else if (y)
    t = with_scalar(L, y->dtype, a);
  else
    t = dtype_promote(scalar_dtype(L, a), scalar_dtype(L, b));
  if (op == KERNEL_FLOAT_POWER)
    return DTYPE_F64;
  if (op == KERNEL_LDEXP && x) // the exponent has no say
    return float_dtype(x->dtype, true);
  if (kernel_binary_kind(op) == 'd')
    return float_dtype(t, op != KERNEL_DIVIDE);
  bool is_bool_number = t == DTYPE_BOOL && op != KERNEL_SUBTRACT;
  if (is_bool_number && !kernel_binary(op, t))
    return DTYPE_I8; // as NumPy: bools count as small integers
  return t;
}

// Comparisons with a whole number that type `t` cannot hold are answered in one
// that can.
static enum dtype compared_dtype(lua_State *L, enum dtype t, int a, int b) {
  if (dtype_kind(t) != 'i' && dtype_kind(t) != 'u')
    return t;
  for (int k = 0; k < 2; k++) {
    int i = k ? b : a;
    if (lua_isinteger(L, i) && !np_integer_fits(t, lua_tointeger(L, i)))
      return t == DTYPE_U64 ? DTYPE_F64 : DTYPE_I64;
  }
  return t;
}

void np_push_binary(lua_State *L, enum kernel_binary op, int a, int b) {
  const char *name = kernel_binary_name(op);
  a = lua_absindex(L, a);
  b = lua_absindex(L, b);
  bool has_a = prepare(L, a, name), has_b = prepare(L, b, name);
  check_places(L, a, b, name);
  bool is_predicate = kernel_binary_kind(op) == 'p';
  enum dtype t = binary_dtype(L, op, a, b);
  if (is_predicate)
    t = compared_dtype(L, t, a, b);
  enum dtype compute = loop_dtype(t);
  kernel_binary_loop loop = kernel_binary(op, compute);
  if (op == KERNEL_NEXTAFTER) // f32's neighbour is nearer than a small float's
    loop = kernel_lax_binary(name, compute = t);
  if (!loop)
    no_loop(L, name, t);
  struct scalar s[2];
  struct array *x = operand(L, &s[0], a, t, compute);
  struct array *y = // of ldexp: an exponent, no float
      operand(L, &s[1], b, op == KERNEL_LDEXP ? compute : t, compute);
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = np_broadcast(L, name, x, y, shape);
  struct array *r =
      array_push_host(L, is_predicate ? DTYPE_BOOL : compute, ndim, shape);
  if (op == KERNEL_POWER && array_count(r) > 0) // of nothing there is no power
    refuse_negative_power(L, y);
  struct walk w;
  walk_start(&w, ndim, shape);
  walk_add(&w, r);
  walk_add(&w, x);
  walk_add(&w, y);
  walk_run(L, &w, binary_inner, &loop);
  finish(L, r, is_predicate ? DTYPE_BOOL : t, !has_a && !has_b);
}

// The type to compute in; `*t`, the argument's, becomes the result's. NumPy's
// rounding keeps bools, and its other numbers of them are i8.
static enum dtype unary_dtype(enum kernel_unary op, enum dtype *t) {
  if (kernel_unary_kind(op) == 'f')
    *t = float_dtype(*t, op != KERNEL_SINC && op != KERNEL_I0);
  enum dtype compute = loop_dtype(*t);
  bool is_kept = op == KERNEL_ABSOLUTE || op == KERNEL_FLOOR ||
                 op == KERNEL_CEIL || op == KERNEL_TRUNC;
  if (*t == DTYPE_BOOL && is_kept)
    compute = DTYPE_U8;
  else if (*t == DTYPE_BOOL && (op == KERNEL_SQUARE || op == KERNEL_RECIPROCAL))
    compute = *t = DTYPE_I8;
  if (op == KERNEL_BITWISE_COUNT)
    *t = DTYPE_U8;
  return compute;
}

void np_push_unary(lua_State *L, enum kernel_unary op, int a) {
  const char *name = kernel_unary_name(op);
  a = lua_absindex(L, a);
  bool has_a = prepare(L, a, name);
  if (has_a)
    array_check_host(L, a, name);
  char kind = kernel_unary_kind(op);
  enum dtype t = has_a ? array_test(L, a)->dtype : scalar_dtype(L, a);
  enum dtype compute = unary_dtype(op, &t);
  kernel_unary_loop loop = kernel_unary(op, compute);
  if (!loop)
    no_loop(L, name, t);
  struct array *x = push_as(L, a, compute);
  struct array *r = array_push_host(L, kind == 'p' ? DTYPE_BOOL : x->dtype,
                                    x->ndim, x->shape);
  struct walk w;
  walk_start(&w, r->ndim, r->shape);
  walk_add(&w, r);
  walk_add(&w, x);
  walk_run(L, &w, unary_inner, &loop);
  finish(L, r, kind == 'p' ? DTYPE_BOOL : t, !has_a);
}

// frexp: mantissas in [0.5, 1) and exponents (i32). modf: fractions and whole
// parts. Both are exact in f64, whatever the type.
static int push_parts(lua_State *L, bool is_frexp) {
  const char *name = is_frexp ? "frexp" : "modf";
  lua_settop(L, 1);
  bool is_array = prepare(L, 1, name);
  if (is_array)
    array_check_host(L, 1, name);
  struct array *a = push_as(L, 1, DTYPE_F64);
  enum dtype t = float_dtype(
      is_array ? array_test(L, 1)->dtype : scalar_dtype(L, 1), true);
  struct array *x = array_push_copy(L, a, DTYPE_F64);
  struct array *y = array_push_host(L, DTYPE_F64, x->ndim, x->shape);
  double *p = array_data(x), *q = array_data(y);
  for (int64_t i = 0, n = array_count(x); i < n; i++) {
    int e = 0;
    p[i] = is_frexp ? frexp(p[i], &e) : modf(p[i], &q[i]);
    if (is_frexp)
      q[i] = e;
  }
  finish(L, array_push_copy(L, x, t), t, !is_array);
  lua_insert(L, 1);
  enum dtype second = is_frexp ? DTYPE_I32 : t;
  finish(L, array_push_copy(L, y, second), second, !is_array);
  lua_pushvalue(L, 1);
  lua_insert(L, -2);
  return 2;
}

static int l_frexp(lua_State *L) {
  return push_parts(L, true);
}
static int l_modf(lua_State *L) {
  return push_parts(L, false);
}

int np_into_out(lua_State *L, int i) {
  if (lua_isnoneornil(L, i))
    return 1;
  struct array *out = array_check_host(L, i, "out");
  if (!array_test(L, -1)) {
    array_push_from(L, -1, DTYPE_COUNT);
  }
  array_assign(L, out, array_test(L, -1));
  lua_pushvalue(L, i);
  return 1;
}

void np_check_mask(lua_State *L, int i, const char *function) {
  if (lua_isboolean(L, i))
    return;
  const struct array *mask = np_check_operand(L, i);
  if (mask->dtype != DTYPE_BOOL)
    bind_error(L, ERR_ARGUMENT,
               "%s: `where` is a mask of true and false, not of %s: "
               "mask:astype(\"bool\"), or a comparison such as x:gt(0)",
               function, dtype_name(mask->dtype));
}

// Behind the arguments of an elementwise function: out, where. Elements of
// `out` keep their value where the mask does not hold.
static const char *const out_names[] = {"out", "where"};

static int finish_ufunc(lua_State *L, const char *name, int out) {
  if (lua_isnil(L, out + 1))
    return np_into_out(L, out);
  if (lua_isnil(L, out))
    bind_error(L, ERR_ARGUMENT,
               "%s: `where` leaves elements out, which keep the value that "
               "`out` has: give `out` as well",
               name);
  np_check_mask(L, out + 1, name);
  np_push_where(L, out + 1, -1, out);
  return np_into_out(L, out);
}

static int l_binary(lua_State *L) {
  enum kernel_binary op =
      (enum kernel_binary)lua_tointeger(L, lua_upvalueindex(1));
  np_spread(L, 3, kernel_binary_name(op), out_names, 2);
  np_push_binary(L, op, 1, 2);
  return finish_ufunc(L, kernel_binary_name(op), 3);
}

static int l_unary(lua_State *L) {
  enum kernel_unary op =
      (enum kernel_unary)lua_tointeger(L, lua_upvalueindex(1));
  np_spread(L, 2, kernel_unary_name(op), out_names, 2);
  np_push_unary(L, op, 1);
  return finish_ufunc(L, kernel_unary_name(op), 2);
}

// where(condition, x, y): both sides are evaluated, as everywhere in NumPy.
struct where {
  size_t bytes;
  char *out;
};

static void where_inner(void *context, char *const *p, const int64_t *s,
                        int64_t n) {
  struct where *w = context;
  kernel_choose(w->bytes, w->out, p, s, n);
  w->out += (size_t)n * w->bytes;
}

void np_push_where(lua_State *L, int condition, int x, int y) {
  int at[3] = {lua_absindex(L, condition), lua_absindex(L, x),
               lua_absindex(L, y)};
  for (int i = 0; i < 3; i++)
    prepare(L, at[i], "where");
  check_places(L, at[0], at[1], "where");
  check_places(L, at[0], at[2], "where");
  enum dtype t = binary_dtype(L, KERNEL_MAXIMUM, at[1], at[2]);
  struct array *c = push_as(L, at[0], DTYPE_BOOL);
  struct array *p = push_cast(L, at[1], t), *q = push_cast(L, at[2], t);
  struct array shape = {.dtype = t};
  shape.ndim = np_broadcast(L, "where", p, q, shape.shape);
  shape.ndim = np_broadcast(L, "where", c, &shape, shape.shape);
  struct array *r = array_push_host(L, t, shape.ndim, shape.shape);
  struct walk w;
  walk_start(&w, r->ndim, r->shape);
  walk_add(&w, c);
  walk_add(&w, p);
  walk_add(&w, q);
  // The result is written in order: axes may be merged, never swapped.
  struct where context = {dtype_bytes(t), array_data(r)};
  walk_run(L, &w, where_inner, &context);
}

// where(condition) gives the positions, as nonzero.
static int l_where(lua_State *L) {
  if (lua_gettop(L) == 1)
    return np_nonzero(L);
  lua_settop(L, 3);
  np_push_where(L, 1, 2, 3);
  return 1;
}

// np.promote_types(a, b)
static int l_promote_types(lua_State *L) {
  enum dtype a = array_check_dtype(L, 1, DTYPE_F64);
  enum dtype b = array_check_dtype(L, 2, DTYPE_F64);
  lua_pushstring(L, dtype_name(dtype_promote(a, b)));
  return 1;
}

static void alias(lua_State *L, const char *name, const char *of) {
  lua_getfield(L, -1, of);
  lua_setfield(L, -2, name);
}

void np_open_ufunc(lua_State *L) {
  for (int op = 0; op < KERNEL_BINARY_COUNT; op++) {
    lua_pushinteger(L, op);
    lua_pushcclosure(L, l_binary, 1);
    lua_setfield(L, -2, kernel_binary_name((enum kernel_binary)op));
  }
  for (int op = 0; op < KERNEL_UNARY_COUNT; op++) {
    lua_pushinteger(L, op);
    lua_pushcclosure(L, l_unary, 1);
    lua_setfield(L, -2, kernel_unary_name((enum kernel_unary)op));
  }
  static const char *const aliases[][2] = {
      {"abs", "absolute"},
      {"true_divide", "divide"},
      {"remainder", "mod"},
      {"pow", "power"},
      {"bitwise_not", "invert"},
      {"eq", "equal"},
      {"ne", "not_equal"},
      {"lt", "less"},
      {"le", "less_equal"},
      {"gt", "greater"},
      {"ge", "greater_equal"},
      {"asin", "arcsin"},
      {"acos", "arccos"},
      {"atan", "arctan"},
      {"atan2", "arctan2"},
      {"asinh", "arcsinh"},
      {"acosh", "arccosh"},
      {"atanh", "arctanh"},
      {"radians", "deg2rad"},
      {"degrees", "rad2deg"},
      {"gammaln", "lgamma"},
      {"sigmoid", "expit"},
      {"psi", "digamma"},
      {"bitwise_left_shift", "left_shift"},
      {"bitwise_right_shift", "right_shift"},
      {"bitwise_invert", "invert"},
  };
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
    alias(L, aliases[i][0], aliases[i][1]);
  static const luaL_Reg functions[] = {
      {"where", l_where}, {"frexp", l_frexp},
      {"modf", l_modf},   {"promote_types", l_promote_types},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}

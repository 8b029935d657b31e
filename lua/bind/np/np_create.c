// SPDX-License-Identifier: Apache-2.0
// Making arrays: np.array, zeros, arange and their family, astype, tolist.
#include "lua/bind/np/np.h"

#include <math.h>
#include <string.h>

#include "lua/bind/np/array.h"

static const char *const shape_names[] = {"shape", "dtype"};
static const char *const full_names[] = {"shape", "fill_value", "dtype"};
static const char *const dtype_names[] = {"dtype"};

static int l_array(lua_State *L) {
  np_check_any(L, 1);
  np_spread(L, 2, "np.array", dtype_names, 1);
  array_push_from(L, 1, array_check_dtype(L, 2, DTYPE_COUNT));
  return 1;
}

static int l_asarray(lua_State *L) {
  np_check_any(L, 1);
  np_spread(L, 2, "np.asarray", dtype_names, 1);
  struct array *a = array_test(L, 1);
  enum dtype t = array_check_dtype(L, 2, DTYPE_COUNT);
  if (a && !a->is_jax && (t == DTYPE_COUNT || t == a->dtype)) {
    lua_settop(L, 1);
    return 1;
  }
  return l_array(L);
}

// Arguments of which the first is the shape: what is not there stays so, for
// the message.
static int check_shape(lua_State *L, const char *function,
                       const char *const *names, int count, int64_t *shape) {
  if (lua_gettop(L) > 0)
    np_spread(L, 1, function, names, count);
  return array_check_shape(L, 1, function, shape);
}

static int l_empty(lua_State *L) {
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = check_shape(L, "np.empty", shape_names, 2, shape);
  array_push_host(L, array_check_dtype(L, 2, DTYPE_F64), ndim, shape);
  return 1;
}

static void fill(struct array *a, const void *element) {
  kernel_cast(a->dtype, a->dtype)(array_data(a), (int64_t)dtype_bytes(a->dtype),
                                  element, 0, array_count(a));
}

static int push_zeros(lua_State *L, enum dtype t, int ndim,
                      const int64_t *shape) {
  struct array *a = array_push_host(L, t, ndim, shape);
  memset(array_data(a), 0, a->storage->bytes);
  return 1;
}

static int l_zeros(lua_State *L) {
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = check_shape(L, "np.zeros", shape_names, 2, shape);
  return push_zeros(L, array_check_dtype(L, 2, DTYPE_F64), ndim, shape);
}

// Fills with the value at index `i`.
static int push_full(lua_State *L, enum dtype t, int ndim, const int64_t *shape,
                     int i) {
  char element[8];
  struct array *a = array_push_host(L, t, ndim, shape);
  array_store_element(L, t, element, i);
  fill(a, element);
  return 1;
}

static int l_ones(lua_State *L) {
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = check_shape(L, "np.ones", shape_names, 2, shape);
  enum dtype t = array_check_dtype(L, 2, DTYPE_F64);
  lua_pushinteger(L, 1);
  return push_full(L, t, ndim, shape, lua_gettop(L));
}

static enum dtype natural_dtype(lua_State *L, int i) {
  return lua_isboolean(L, i)   ? DTYPE_BOOL
         : lua_isinteger(L, i) ? DTYPE_I64
                               : DTYPE_F64;
}

static void need_value(lua_State *L, const char *function) {
  if (lua_isnil(L, 2))
    bind_error(L, ERR_ARGUMENT,
               "%s: argument 2 is missing: fill_value, the value", function);
}

static int l_full(lua_State *L) {
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = check_shape(L, "np.full", full_names, 3, shape);
  need_value(L, "full");
  enum dtype t = array_check_dtype(L, 3, natural_dtype(L, 2));
  return push_full(L, t, ndim, shape, 2);
}

// An array like another: what np.zeros_like(x) makes.
struct like {
  enum dtype t;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS];
};

// x, [value,] dtype, shape: those not given are the array's own.
static struct like check_like(lua_State *L, const char *function,
                              bool has_value) {
  static const char *const names[] = {"fill_value", "dtype", "shape"};
  struct array *a = array_check(L, 1);
  np_spread(L, 2, function, names + !has_value, 2 + has_value);
  int at = 2 + has_value;
  struct like l = {.t = array_check_dtype(L, at, a->dtype), .ndim = a->ndim};
  if (lua_isnil(L, at + 1))
    memcpy(l.shape, a->shape, sizeof l.shape);
  else
    l.ndim = array_check_shape(L, at + 1, function, l.shape);
  return l;
}

static int l_zeros_like(lua_State *L) {
  struct like l = check_like(L, "zeros_like", false);
  return push_zeros(L, l.t, l.ndim, l.shape);
}

static int l_ones_like(lua_State *L) {
  struct like l = check_like(L, "ones_like", false);
  lua_pushinteger(L, 1);
  return push_full(L, l.t, l.ndim, l.shape, lua_gettop(L));
}

static int l_empty_like(lua_State *L) {
  struct like l = check_like(L, "empty_like", false);
  array_push_host(L, l.t, l.ndim, l.shape);
  return 1;
}

static int l_full_like(lua_State *L) {
  struct like l = check_like(L, "full_like", true);
  need_value(L, "full_like");
  return push_full(L, l.t, l.ndim, l.shape, 2);
}

// ---- Ranges ----

static lua_Number check_number(lua_State *L, int i, const char *function) {
  if (lua_type(L, i) != LUA_TNUMBER)
    bind_error(L, ERR_ARGUMENT, "%s: argument %d is %s, not a number", function,
               i, bind_value_text(L, i));
  return lua_tonumber(L, i);
}

static int64_t arange_count(lua_State *L, double start, double stop,
                            double step) {
  if (step == 0)
    bind_error(L, ERR_ARGUMENT, "np.arange: the step is 0");
  double n = ceil((stop - start) / step);
  if (!(n < 0x1p62))
    bind_error(L, ERR_ARGUMENT, "np.arange: from %g to %g by %s never ends",
               start, stop, step != step ? "nan" : "so small a step");
  return n > 0 ? (int64_t)n : 0;
}

static void check_in_range(lua_State *L, enum dtype t, double v) {
  bool is_held = fabs(v) < 0x1p63 ? np_integer_fits(t, (lua_Integer)v)
                                  : t == DTYPE_U64 && v > 0 && v < 0x1p64;
  if (!is_held)
    bind_error(L, ERR_ARGUMENT,
               "np.arange: %.17g does not fit into type %s: a wider type, or "
               ":astype(\"%s\") afterwards, which wraps",
               v, dtype_name(t), dtype_name(t));
}

// As NumPy, which makes the first two elements as numbers and continues them
// by their difference: the type must hold these two, and what follows wraps.
static void check_range(lua_State *L, enum dtype t, double start, double step,
                        int64_t count) {
  if (t == DTYPE_BOOL && count > 2)
    bind_error(L, ERR_ARGUMENT,
               "np.arange: there are two bools, not %lld: np.arange(n):ne(0) "
               "compares",
               (long long)count);
  if (dtype_kind(t) != 'i' && dtype_kind(t) != 'u')
    return;
  if (count > 0)
    check_in_range(L, t, start);
  if (count > 1)
    check_in_range(L, t, start + step);
}

enum { RANGE_PART = 512 }; // elements that are converted at once

static void arange_integers(struct array *a, int64_t start, int64_t step) {
  kernel_cast_loop store = kernel_cast(a->dtype, DTYPE_I64);
  const int64_t w = (int64_t)dtype_bytes(a->dtype), all = a->shape[0];
  int64_t v[RANGE_PART];
  for (int64_t i = 0; i < all; i += RANGE_PART) {
    int64_t n = all - i < RANGE_PART ? all - i : RANGE_PART;
    kernel_range_integers(v, start, step, i, (int)n);
    store((char *)array_data(a) + i * w, w, (char *)v, sizeof *v, n);
  }
}

static void range_doubles(struct array *a, double start, double step) {
  kernel_cast_loop store = kernel_cast(a->dtype, DTYPE_F64);
  const int64_t w = (int64_t)dtype_bytes(a->dtype), all = a->shape[0];
  double v[RANGE_PART];
  for (int64_t i = 0; i < all; i += RANGE_PART) {
    int64_t n = all - i < RANGE_PART ? all - i : RANGE_PART;
    kernel_range_floats(v, start, step, i, (int)n);
    store((char *)array_data(a) + i * w, w, (char *)v, sizeof *v, n);
  }
}

static void range_singles(struct array *a, float start, float step) {
  kernel_cast_loop store = kernel_cast(a->dtype, DTYPE_F32);
  const int64_t w = (int64_t)dtype_bytes(a->dtype), all = a->shape[0];
  float v[RANGE_PART];
  for (int64_t i = 0; i < all; i += RANGE_PART) {
    int64_t n = all - i < RANGE_PART ? all - i : RANGE_PART;
    for (int64_t k = 0; k < n; k++) {
      float way = (float)(i + k) * step;
      v[k] = start + way;
    }
    store((char *)array_data(a) + i * w, w, (char *)v, sizeof *v, n);
  }
}

// v as an element of type t.
static double as_held(enum dtype t, double v) {
  char element[sizeof(double)];
  kernel_cast(t, DTYPE_F64)(element, 0, (char *)&v, 0, 1);
  kernel_cast(DTYPE_F64, t)((char *)&v, 0, element, 0, 1);
  return v;
}

// As NumPy: the first two elements become the type's, and their difference is
// the step, computed with the type's own precision.
static void arange_floats(struct array *a, double start, double step) {
  enum dtype t = a->dtype;
  char kind = dtype_kind(t);
  double first = as_held(t, start), next = as_held(t, start + step);
  if (kind == 'i' || kind == 'u')
    arange_integers(a, (int64_t)start,
                    (int64_t)(start + step) - (int64_t)start);
  else if (t == DTYPE_F64 || t == DTYPE_BOOL)
    range_doubles(a, first, next - first);
  else
    range_singles(a, (float)first, (float)next - (float)first);
}

// Arguments by name are put in place: all three, and the type.
static enum dtype spread_range(lua_State *L) {
  static const char *const names[] = {"start", "stop", "step", "dtype"};
  np_spread(L, 1, "np.arange", names, 4);
  enum dtype t = array_check_dtype(L, 4, DTYPE_COUNT);
  lua_settop(L, 3);
  if (lua_isnil(L, 2)) { // one number alone is where it stops
    lua_pushvalue(L, 1);
    lua_replace(L, 2);
    lua_pushnil(L);
    lua_replace(L, 1);
  }
  for (int i = 1; i <= 3; i += 2)
    if (lua_isnil(L, i)) {
      lua_pushinteger(L, i == 1 ? 0 : 1);
      lua_replace(L, i);
    }
  return t;
}

// np.arange([start,] stop [, step] [, dtype])
static int l_arange(lua_State *L) {
  enum dtype t = DTYPE_COUNT;
  if (lua_gettop(L) > 0 && np_is_named(L, lua_gettop(L)))
    t = spread_range(L);
  int n = lua_gettop(L);
  while (n > 0 && lua_isnil(L, n))
    n--;
  if (n > 1 && lua_type(L, n) == LUA_TSTRING)
    t = array_check_dtype(L, n--, DTYPE_COUNT);
  if (n < 1 || n > 3)
    bind_error(L, ERR_ARGUMENT,
               "np.arange: it takes ([start,] stop [, step] [, dtype])");
  bool whole = true;
  for (int i = 1; i <= n; i++) {
    check_number(L, i, "np.arange");
    whole = whole && lua_isinteger(L, i);
  }
  double start = n > 1 ? lua_tonumber(L, 1) : 0;
  double stop = lua_tonumber(L, n > 1 ? 2 : 1);
  double step = n > 2 ? lua_tonumber(L, 3) : 1;
  int64_t count = arange_count(L, start, stop, step);
  if (t == DTYPE_COUNT)
    t = whole ? DTYPE_I64 : DTYPE_F64;
  check_range(L, t, start, step, count);
  struct array *a = array_push_host(L, t, 1, &count);
  if (whole)
    arange_integers(a, n > 1 ? lua_tointeger(L, 1) : 0,
                    n > 2 ? lua_tointeger(L, 3) : 1);
  else
    arange_floats(a, start, step);
  return 1;
}

// np.linspace(start, stop, num = 50, dtype) of two numbers, both ends included;
// lua/array/create.lua has the others.
static int l_linspace(lua_State *L) {
  double start = check_number(L, 1, "np.linspace");
  double stop = check_number(L, 2, "np.linspace");
  int64_t n = luaL_optinteger(L, 3, 50);
  if (n < 0)
    bind_error(L, ERR_ARGUMENT, "np.linspace: %lld points", (long long)n);
  enum dtype t = array_check_dtype(L, 4, DTYPE_F64);
  struct array *a = array_push_host(L, t, 1, &n);
  range_doubles(a, start, n > 1 ? (stop - start) / (double)(n - 1) : 0);
  if (n > 1) {
    char *last = (char *)array_data(a) + (n - 1) * (int64_t)dtype_bytes(t);
    kernel_cast(t, DTYPE_F64)(last, 0, (char *)&stop, 0, 1);
  }
  return 1;
}

// np.eye(n [, m] [, dtype])
static int l_eye(lua_State *L) {
  int64_t n = luaL_checkinteger(L, 1);
  bool has_m = lua_type(L, 2) == LUA_TNUMBER;
  int64_t shape[2] = {n, has_m ? lua_tointeger(L, 2) : n};
  int at = has_m || (lua_isnil(L, 2) && lua_gettop(L) > 2) ? 3 : 2;
  enum dtype t = array_check_dtype(L, at, DTYPE_F64);
  push_zeros(L, t, 2, shape);
  struct array *a = array_test(L, -1);
  uint8_t one = 1;
  int64_t diagonal = shape[0] < shape[1] ? shape[0] : shape[1];
  kernel_cast(t, DTYPE_BOOL)(array_data(a), a->strides[0] + a->strides[1],
                             (char *)&one, 0, diagonal);
  return 1;
}

// ---- Copies and Lua tables ----

static int l_copy(lua_State *L) {
  struct array *a = array_check_host(L, 1, "copy");
  array_push_copy(L, a, a->dtype);
  return 1;
}

static int l_astype(lua_State *L) {
  struct array *a = array_check_host(L, 1, "astype");
  np_check_any(L, 2);
  np_spread(L, 2, "astype", dtype_names, 1);
  array_push_copy(L, a, array_check_dtype(L, 2, a->dtype));
  return 1;
}

// The same bytes as another type; of other size, along a contiguous last axis.
static int l_view(lua_State *L) {
  struct array *a = array_check(L, 1);
  np_check_any(L, 2);
  enum dtype t = array_check_dtype(L, 2, a->dtype);
  int64_t from = (int64_t)dtype_bytes(a->dtype), to = (int64_t)dtype_bytes(t);
  int last = a->ndim - 1;
  int64_t bytes = a->ndim ? a->shape[last] * from : from;
  if (from != to && (!a->ndim || a->strides[last] != from || bytes % to))
    bind_error(L, ERR_ARGUMENT,
               "view: elements of %lld bytes cannot be seen as %s: the last "
               "axis must be contiguous and a multiple of %lld bytes long",
               (long long)from, dtype_name(t), (long long)to);
  struct array *v =
      np_push_view(L, a, a->offset, a->ndim, a->shape, a->strides);
  v->dtype = t;
  if (from != to) {
    v->shape[last] = bytes / to;
    v->strides[last] = to;
  }
  return 1;
}

static void push_list(lua_State *L, const struct array *a, int d,
                      const char *p) {
  if (d == a->ndim) {
    array_push_element(L, a->dtype, p);
    return;
  }
  luaL_checkstack(L, 4, NULL);
  int64_t n = a->shape[d];
  lua_createtable(L, n < 1 << 30 ? (int)n : 0, 0);
  for (int64_t i = 0; i < n; i++) {
    push_list(L, a, d + 1, p + i * a->strides[d]);
    lua_rawseti(L, -2, i + 1);
  }
}

static int l_tolist(lua_State *L) {
  struct array *a = array_check_host(L, 1, "tolist");
  push_list(L, a, 0, array_data(a));
  return 1;
}

static int l_item(lua_State *L) {
  struct array *a = array_check_host(L, 1, "item");
  if (array_count(a) != 1)
    bind_error(L, ERR_ARGUMENT,
               "item: the array has %lld elements; only one can become a "
               "number",
               (long long)array_count(a));
  array_push_element(L, a->dtype, array_data(a));
  return 1;
}

static int l_fill(lua_State *L) {
  char element[8];
  struct array *a = array_check_host(L, 1, "fill");
  np_check_any(L, 2);
  array_store_element(L, a->dtype, element, 2);
  int64_t none = 1;
  struct array *v = array_push_host(L, a->dtype, 0, &none);
  memcpy(array_data(v), element, dtype_bytes(a->dtype));
  array_assign(L, a, v);
  lua_settop(L, 1);
  return 1;
}

void np_open_create(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"array", l_array},
      {"asarray", l_asarray},
      {"empty", l_empty},
      {"zeros", l_zeros},
      {"ones", l_ones},
      {"full", l_full},
      {"zeros_like", l_zeros_like},
      {"ones_like", l_ones_like},
      {"empty_like", l_empty_like},
      {"full_like", l_full_like},
      {"arange", l_arange},
      {"linspace", l_linspace},
      {"eye", l_eye},
      {"copy", l_copy},
      {"astype", l_astype},
      {"view", l_view},
      {"tolist", l_tolist},
      {"item", l_item},
      {"fill", l_fill},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}

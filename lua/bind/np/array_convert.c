// SPDX-License-Identifier: Apache-2.0
// Between Lua values and arrays: elements, nested tables, copies, arguments.
#include "lua/bind/np/array.h"

#include <math.h>
#include <string.h>

#include "lua/bind/np/np.h"

// ---- One element ----

void array_push_element(lua_State *L, enum dtype t, const void *p) {
  if (t == DTYPE_BOOL) {
    lua_pushboolean(L, *(const uint8_t *)p != 0);
  } else if (dtype_kind(t) == 'f') {
    double v;
    kernel_cast(DTYPE_F64, t)((char *)&v, 8, p, 0, 1);
    lua_pushnumber(L, v);
  } else if (t == DTYPE_U64 && *(const uint64_t *)p > INT64_MAX) {
    // Lua has no such integer; the nearest float is better than a negative.
    lua_pushnumber(L, (double)*(const uint64_t *)p);
  } else {
    int64_t v;
    kernel_cast(DTYPE_I64, t)((char *)&v, 8, p, 0, 1);
    lua_pushinteger(L, v);
  }
}

bool np_integer_fits(enum dtype t, lua_Integer v) {
  int bits = 8 * (int)dtype_bytes(t);
  if (dtype_kind(t) == 'u')
    return v >= 0 && (bits == 64 || v < (lua_Integer)1 << bits);
  return bits == 64 || (v >= -((lua_Integer)1 << (bits - 1)) &&
                        v < (lua_Integer)1 << (bits - 1));
}

void array_store_element(lua_State *L, enum dtype t, void *p, int i) {
  char kind = dtype_kind(t);
  if (lua_isboolean(L, i)) {
    uint8_t v = (uint8_t)lua_toboolean(L, i);
    kernel_cast(t, DTYPE_BOOL)(p, 0, (char *)&v, 0, 1);
  } else if (lua_isinteger(L, i)) {
    int64_t v = lua_tointeger(L, i);
    if ((kind == 'i' || kind == 'u') && !np_integer_fits(t, v))
      bind_error(L, ERR_ARGUMENT, "%lld does not fit into type %s",
                 (long long)v, dtype_name(t));
    kernel_cast(t, DTYPE_I64)(p, 0, (char *)&v, 0, 1);
  } else if (lua_type(L, i) == LUA_TNUMBER) {
    double v = lua_tonumber(L, i);
    if ((kind == 'i' || kind == 'u') && !isfinite(v))
      bind_error(L, ERR_ARGUMENT, "%s cannot be converted to type %s",
                 isnan(v) ? "nan" : "inf", dtype_name(t));
    kernel_cast(t, DTYPE_F64)(p, 0, (char *)&v, 0, 1);
  } else {
    bind_error(L, ERR_ARGUMENT, "%s cannot be an element of type %s",
               bind_value_text(L, i), dtype_name(t));
  }
}

// ---- Arguments ----

// "1.5", "nan"
static const char *number_text(lua_State *L, int i) {
  double v = lua_tonumber(L, i);
  return isnan(v) ? "nan" : lua_pushfstring(L, "%f", v);
}

const char *np_dtype_advice(lua_State *L, const char *text) {
  const char *near = dtype_suggest(text);
  if (strstr(text, "complex"))
    return ": keep real and imaginary part in two arrays";
  return lua_pushfstring(
      L,
      "%s%s%s bool, i8 i16 i32 i64, u8 u16 u32 u64, f16 bf16 f32 f64 (digits "
      "count bits), and NumPy's names for them",
      near ? "; did you mean \"" : "", near ? near : "",
      near ? "\"? There are" : ": there are");
}

enum dtype array_check_dtype(lua_State *L, int i, enum dtype fallback) {
  enum dtype t;
  if (lua_isnoneornil(L, i))
    return fallback;
  if (lua_type(L, i) != LUA_TSTRING)
    bind_error(L, ERR_ARGUMENT,
               "a dtype is a string such as \"f32\" (or np.float32), not %s",
               bind_value_text(L, i));
  const char *text = lua_tostring(L, i);
  if (!dtype_parse(text, &t))
    bind_error(L, ERR_ARGUMENT, "there is no dtype \"%s\"%s", text,
               np_dtype_advice(L, text));
  return t;
}

int array_check_shape(lua_State *L, int i, const char *function,
                      int64_t shape[ARRAY_MAX_DIMS]) {
  i = lua_absindex(L, i);
  int isnum;
  if (lua_type(L, i) == LUA_TNUMBER) {
    shape[0] = lua_tointegerx(L, i, &isnum);
    if (!isnum)
      bind_error(L, ERR_ARGUMENT, "%s: %s is not a whole size", function,
                 number_text(L, i));
    return 1;
  }
  if (!lua_istable(L, i))
    bind_error(L, ERR_ARGUMENT,
               "%s: the shape is a number or a table such as {3, 4}, not %s",
               function, bind_value_text(L, i));
  lua_Unsigned n = lua_rawlen(L, i);
  if (n > ARRAY_MAX_DIMS)
    bind_error(L, ERR_ARGUMENT, "%s: an array has at most %d axes, not %llu",
               function, ARRAY_MAX_DIMS, (unsigned long long)n);
  for (int d = 0; d < (int)n; d++) {
    lua_rawgeti(L, i, d + 1);
    shape[d] = lua_tointegerx(L, -1, &isnum);
    if (!isnum)
      bind_error(L, ERR_ARGUMENT,
                 "%s: item %d of the shape is %s, not a whole "
                 "number",
                 function, d + 1,
                 lua_type(L, -1) == LUA_TNUMBER ? number_text(L, -1)
                                                : bind_value_text(L, -1));
    lua_pop(L, 1);
  }
  return (int)n;
}

int np_check_axis(lua_State *L, int i, int ndim, const char *function) {
  int isnum;
  lua_Integer axis = lua_tointegerx(L, i, &isnum);
  if (!isnum && lua_type(L, i) == LUA_TNUMBER)
    bind_error(L, ERR_ARGUMENT, "%s: the axis is a whole number, not %s",
               function, number_text(L, i));
  if (!isnum)
    bind_error(L, ERR_ARGUMENT, "%s: the axis is a whole number, not %s",
               function, bind_value_text(L, i));
  if (axis < -ndim || axis >= ndim)
    bind_error(L, ERR_ARGUMENT,
               "%s: axis %lld is out of bounds for an array with %d ax%s",
               function, (long long)axis, ndim, ndim == 1 ? "is" : "es");
  return (int)(axis < 0 ? axis + ndim : axis);
}

// ---- Copies ----

struct cast {
  kernel_cast_loop loop;
  int64_t bytes; // of an element that is written
};

// One element for all is converted once, and copied.
static void cast_inner(void *context, char *const *p, const int64_t *s,
                       int64_t n) {
  enum { AT_ONCE = 4096 };
  const struct cast *c = context;
  bool is_filled = s[1] == 0 && s[0] == c->bytes;
  c->loop(p[0], s[0], p[1], s[1], is_filled ? 1 : n);
  for (int64_t has = c->bytes, all = n * c->bytes; is_filled && has < all;) {
    int64_t more = has < AT_ONCE ? has : AT_ONCE;
    more = all - has < more ? all - has : more;
    memcpy(p[0] + has, p[0], (size_t)more);
    has += more;
  }
}

static void copy_into(lua_State *L, struct array *to,
                      const struct array *from) {
  struct walk w;
  struct cast cast = {kernel_cast(to->dtype, from->dtype),
                      (int64_t)dtype_bytes(to->dtype)};
  walk_start(&w, to->ndim, to->shape);
  walk_add(&w, to);
  walk_add(&w, from);
  walk_run(L, &w, cast_inner, &cast);
}

struct array *array_push_copy(lua_State *L, const struct array *a,
                              enum dtype t) {
  struct array *r = array_push_host(L, t, a->ndim, a->shape);
  if (t == a->dtype && array_is_contiguous(a))
    memcpy(array_data(r), array_data(a),
           (size_t)array_count(a) * dtype_bytes(t));
  else
    copy_into(L, r, a);
  return r;
}

void array_assign(lua_State *L, struct array *to, const struct array *from) {
  char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
  if (to->is_readonly)
    bind_error(L, ERR_ARGUMENT,
               "this array cannot be written: it is immutable "
               "or repeats its elements (x:copy() can be written)");
  if (!np_can_broadcast(from, to->ndim, to->shape))
    bind_error(L, ERR_ARGUMENT,
               "the value's shape %s does not fit into shape %s, which is "
               "written to",
               array_shape_text(s, from->ndim, from->shape),
               array_shape_text(t, to->ndim, to->shape));
  array_await(L, to, true);
  int top = lua_gettop(L);
  // Views of one storage may overlap: then the old values are saved first.
  if (from->storage == to->storage)
    from = array_push_copy(L, from, from->dtype);
  copy_into(L, to, from);
  array_touch(to);
  lua_settop(L, top);
}

// ---- From tables ----

// What a nested table turns out to be.
struct shape_of {
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS];
  enum dtype dtype;
  bool has_dtype;
};

static void note_dtype(struct shape_of *s, enum dtype t) {
  s->dtype = s->has_dtype ? dtype_promote(s->dtype, t) : t;
  s->has_dtype = true;
}

static int64_t length_at(lua_State *L, int i) {
  return lua_istable(L, i) ? (int64_t)lua_rawlen(L, i)
                           : array_check(L, i)->shape[0];
}

static bool is_leaf(lua_State *L, int i) {
  struct array *a = array_test(L, i);
  return a ? a->ndim == 0 : !lua_istable(L, i);
}

// A table that has fields and no items is no empty array.
static void refuse_fields(lua_State *L, int i) {
  lua_pushnil(L);
  if (!lua_istable(L, i) || !lua_next(L, i))
    return;
  bool is_complex = luaL_getmetafield(L, i, "__name") == LUA_TSTRING &&
                    !strcmp(lua_tostring(L, -1), "np.complex");
  bind_error(L, ERR_ARGUMENT,
             is_complex ? "this array is complex, and a real one is needed: "
                          "take z.real, z.imag or np.abs(z)"
                        : "np.array: a table with named fields is no array");
}

// The shape along the first items.
static void find_shape(lua_State *L, int i, struct shape_of *s) {
  i = lua_absindex(L, i);
  luaL_checkstack(L, 4, NULL);
  struct array *a = array_test(L, i);
  if (is_leaf(L, i))
    return;
  if (s->ndim + (a ? a->ndim : 1) > ARRAY_MAX_DIMS)
    bind_error(L, ERR_ARGUMENT, "np.array: tables are nested deeper than %d",
               ARRAY_MAX_DIMS);
  if (a) {
    for (int d = 0; d < a->ndim; d++)
      s->shape[s->ndim++] = a->shape[d];
    return;
  }
  s->shape[s->ndim++] = length_at(L, i);
  if (s->shape[s->ndim - 1] == 0) {
    refuse_fields(L, i);
    return;
  }
  lua_rawgeti(L, i, 1);
  find_shape(L, -1, s);
  lua_pop(L, 1);
}

static void check_leaf(lua_State *L, int i, struct shape_of *s) {
  struct array *a = array_test(L, i);
  if (a)
    note_dtype(s, array_check_host(L, i, "np.array")->dtype);
  else if (lua_isboolean(L, i))
    note_dtype(s, DTYPE_BOOL);
  else if (lua_isinteger(L, i))
    note_dtype(s, DTYPE_I64);
  else if (lua_type(L, i) == LUA_TNUMBER)
    note_dtype(s, DTYPE_F64);
  else
    bind_error(L, ERR_ARGUMENT,
               "np.array: a %s cannot be an element (numbers, booleans, nested "
               "tables and arrays can)",
               lua_isnil(L, i) ? "nil (a hole in the table)"
                               : luaL_typename(L, i));
}

// Every item at depth `d` must have the shape that the first ones had.
static void check_items(lua_State *L, int i, int d, struct shape_of *s) {
  i = lua_absindex(L, i);
  luaL_checkstack(L, 4, NULL);
  if (is_leaf(L, i) != (d == s->ndim))
    bind_error(L, ERR_ARGUMENT,
               "np.array: some items at depth %d are tables and some are not",
               d);
  if (d == s->ndim) {
    check_leaf(L, i, s);
    return;
  }
  struct array *a = array_test(L, i);
  for (int k = 0; k < (a ? a->ndim : 1); k++) {
    int64_t n = a ? a->shape[k] : length_at(L, i);
    if (d + k >= s->ndim || n != s->shape[d + k])
      bind_error(L, ERR_ARGUMENT,
                 "np.array: rows differ: axis %d has %lld items in one row and "
                 "%lld in another",
                 d + k, (long long)s->shape[d + k < s->ndim ? d + k : d],
                 (long long)n);
  }
  if (a) {
    a = array_check_host(L, i, "np.array");
    note_dtype(s, a->dtype);
    return;
  }
  for (int64_t k = 1; k <= s->shape[d]; k++) {
    lua_rawgeti(L, i, k);
    check_items(L, -1, d + 1, s);
    lua_pop(L, 1);
  }
}

// Writes item `i` at `*p` and moves `*p` behind it.
static void store_items(lua_State *L, int i, int d, const struct array *to,
                        char **p) {
  i = lua_absindex(L, i);
  array_fetch_jax(L, i);
  struct array *a = array_test(L, i);
  if (a) {
    struct array *c = array_push_copy(L, a, to->dtype);
    size_t bytes = (size_t)array_count(c) * dtype_bytes(c->dtype);
    memcpy(*p, array_data(c), bytes);
    *p += bytes;
    lua_pop(L, 1);
  } else if (d == to->ndim) {
    array_store_element(L, to->dtype, *p, i);
    *p += dtype_bytes(to->dtype);
  } else {
    for (int64_t k = 1; k <= to->shape[d]; k++) {
      lua_rawgeti(L, i, k);
      store_items(L, -1, d + 1, to, p);
      lua_pop(L, 1);
    }
  }
}

struct array *array_push_from(lua_State *L, int i, enum dtype t) {
  i = lua_absindex(L, i);
  if (array_test(L, i)) {
    struct array *a = array_check_host(L, i, "np.array");
    return array_push_copy(L, a, t == DTYPE_COUNT ? a->dtype : t);
  }
  struct shape_of s = {.dtype = DTYPE_F64};
  find_shape(L, i, &s);
  check_items(L, i, 0, &s);
  struct array *a =
      array_push_host(L, t == DTYPE_COUNT ? s.dtype : t, s.ndim, s.shape);
  char *p = array_data(a);
  store_items(L, i, 0, a, &p);
  return a;
}

struct array *np_check_operand(lua_State *L, int i) {
  int type = lua_type(L, i);
  if (type == LUA_TTABLE || type == LUA_TNUMBER || type == LUA_TBOOLEAN) {
    array_push_from(L, i, DTYPE_COUNT);
    lua_replace(L, i);
  }
  return array_check(L, i);
}

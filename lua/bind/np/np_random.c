// SPDX-License-Identifier: Apache-2.0
// np.random.default_rng and its methods. np_draw.c draws the numbers.
#include "lua/bind/np/np.h"

#include <math.h>
#include <string.h>

#include "lua/bind/np/array.h"
#include "lua/bind/np/np_draw.h"

#define GENERATOR_TYPE "np.random.Generator"

static struct generator *check_generator(lua_State *L) {
  struct generator *g = luaL_testudata(L, 1, GENERATOR_TYPE);
  if (!g)
    bind_error(L, ERR_ARGUMENT,
               "the first argument is no generator: write rng:random(n) with "
               "rng = np.random.default_rng(seed)");
  return g;
}

// ---- Results ----

// Pushes room for numbers of the size at index `i`, or for one.
static struct array *push_numbers(lua_State *L, int i, enum dtype t) {
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = lua_isnil(L, i) ? 0 : array_check_shape(L, i, "np.random", shape);
  return array_push_host(L, t, ndim, shape);
}

// One number where no size was asked for at index `i`.
static int finish(lua_State *L, int i, const struct array *a) {
  if (lua_isnil(L, i))
    array_push_element(L, a->dtype, array_data(a));
  return 1;
}

static enum dtype check_float(lua_State *L, int i, const char *name) {
  enum dtype t = array_check_dtype(L, i, DTYPE_F64);
  if (dtype_kind(t) != 'f')
    bind_error(L, ERR_ARGUMENT, "np.random.%s: these numbers are no %s", name,
               dtype_name(t));
  return t;
}

// ---- Distributions ----

static double check_parameter(lua_State *L, const struct draw_row *row, int k) {
  int i = 2 + k;
  if (lua_isnil(L, i) && isnan(row->defaults[k]))
    bind_error(L, ERR_ARGUMENT, "np.random.%s: %s is missing", row->name,
               row->parameters[k]);
  if (!lua_isnil(L, i) && lua_type(L, i) != LUA_TNUMBER)
    bind_error(L, ERR_ARGUMENT, "np.random.%s: %s is a number, not a %s",
               row->name, row->parameters[k], luaL_typename(L, i));
  double v = luaL_optnumber(L, i, row->defaults[k]);
  char rule = row->rules[k];
  bool ok = rule == '0'   ? v >= 0
            : rule == '+' ? v > 0
            : rule == 'p' ? v > 0 && v <= 1
            : rule == '1' ? v >= 0 && v <= 1
                          : true;
  if (!ok)
    bind_error(L, ERR_ARGUMENT, "np.random.%s: %s is %g, and must %s",
               row->name, row->parameters[k], v,
               rule == '0'   ? "not be negative"
               : rule == '+' ? "be positive"
               : rule == '1' ? "lie between 0 and 1"
                             : "be over 0 and at most 1");
  return v;
}

// rng:NAME(parameters, size, dtype), whose row is the upvalue.
static int g_row(lua_State *L) {
  const struct draw_row *row =
      &draw_rows[lua_tointeger(L, lua_upvalueindex(1))];
  struct generator *g = check_generator(L);
  const char *names[5];
  int count = row->count;
  memcpy(names, row->parameters, sizeof row->parameters);
  names[count] = "size";
  names[count + 1] = "dtype";
  np_spread(L, 2, row->name, names, count + 2);
  double p[3];
  for (int k = 0; k < count; k++)
    p[k] = check_parameter(L, row, k);
  int size = 2 + count;
  if (count == 3 && !(p[0] <= p[1] && p[1] <= p[2] && p[0] < p[2]))
    bind_error(L, ERR_ARGUMENT, "np.random.%s: %g, %g, %g do not ascend",
               row->name, p[0], p[1], p[2]);
  enum dtype t = row->is_whole ? array_check_dtype(L, size + 1, DTYPE_I64)
                               : check_float(L, size + 1, row->name);
  struct array *a = push_numbers(L, size, t);
  kernel_cast_loop store = kernel_cast(t, DTYPE_F64);
  char *out = array_data(a);
  for (int64_t i = 0, n = array_count(a); i < n; i++, out += dtype_bytes(t)) {
    double v = row->f(g, p);
    store(out, 0, (const char *)&v, 0, 1);
  }
  return finish(L, size, a);
}

// rng:random(size, dtype); f32 uses 24 bits of half a draw, as NumPy.
static int g_random(lua_State *L) {
  struct generator *g = check_generator(L);
  static const char *const names[] = {"size", "dtype"};
  np_spread(L, 2, "random", names, 2);
  enum dtype t = check_float(L, 3, "random");
  struct array *a = push_numbers(L, 2, t);
  kernel_cast_loop store = kernel_cast(t, DTYPE_F64);
  char *out = array_data(a);
  for (int64_t i = 0, n = array_count(a); i < n; i++, out += dtype_bytes(t)) {
    double v = t == DTYPE_F64 ? draw_unit(g) : (draw_32(g) >> 8) * 0x1p-24;
    store(out, 0, (const char *)&v, 0, 1);
  }
  return finish(L, 2, a);
}

// ---- Whole numbers and orders ----

static void check_range(lua_State *L, enum dtype t, int64_t low, int64_t last) {
  int bits = 8 * (int)dtype_bytes(t);
  bool is_unsigned = dtype_kind(t) != 'i';
  bool fits = dtype_kind(t) != 'f';
  if (bits < 64) {
    int64_t top = t == DTYPE_BOOL ? 1
                  : is_unsigned   ? ((int64_t)1 << bits) - 1
                                  : ((int64_t)1 << (bits - 1)) - 1;
    fits = fits && low >= (is_unsigned ? 0 : -top - 1) && last <= top;
  } else {
    fits = fits && (!is_unsigned || low >= 0);
  }
  if (!fits)
    bind_error(L, ERR_ARGUMENT,
               "rng:integers: numbers from %lld to %lld are no %s",
               (long long)low, (long long)last, dtype_name(t));
}

// rng:integers(low, high, size, dtype, endpoint); one bound is `high`.
static int g_integers(lua_State *L) {
  struct generator *g = check_generator(L);
  static const char *const names[] = {"low", "high", "size", "dtype",
                                      "endpoint"};
  np_spread(L, 2, "integers", names, 5);
  bool has_end = lua_toboolean(L, 6);
  int64_t low = 0, high = luaL_checkinteger(L, 2);
  if (!lua_isnil(L, 3)) {
    low = high;
    high = luaL_checkinteger(L, 3);
  }
  if (has_end ? low > high : low >= high)
    bind_error(L, ERR_ARGUMENT,
               "rng:integers: no integer lies in [%lld, %lld%c", (long long)low,
               (long long)high, has_end ? ']' : ')');
  uint64_t range = (uint64_t)high - (uint64_t)low - !has_end;
  enum dtype t = array_check_dtype(L, 5, DTYPE_I64);
  check_range(L, t, low, (int64_t)((uint64_t)low + range));
  struct array *a = push_numbers(L, 4, t);
  kernel_cast_loop store = kernel_cast(t, DTYPE_I64);
  int bits = t == DTYPE_BOOL ? 1 : 8 * (int)dtype_bytes(t), left = 0;
  uint32_t buffer = 0;
  char *out = array_data(a);
  for (int64_t i = 0, n = array_count(a); i < n; i++, out += dtype_bytes(t)) {
    uint64_t r = bits < 32
                     ? draw_narrow(g, bits, (uint32_t)range, &buffer, &left)
                     : draw_bounded(g, range);
    int64_t v = (int64_t)((uint64_t)low + r);
    store(out, 0, (const char *)&v, 0, 1);
  }
  return finish(L, 4, a);
}

// rng:order(n [, first]): the numbers 0 .. n-1, shuffled; for choice those from
// `first` on alone.
static int g_order(lua_State *L) {
  struct generator *g = check_generator(L);
  int64_t n = luaL_checkinteger(L, 2), first = luaL_optinteger(L, 3, 1);
  bool is_choice = !lua_isnoneornil(L, 3);
  struct array *a = array_push_host(L, DTYPE_I64, 1, &n);
  int64_t *at = array_data(a);
  for (int64_t i = 0; i < n; i++)
    at[i] = i;
  draw_shuffle(g, at, n, first, !is_choice);
  return 1;
}

// A set of numbers: each stands where its low bits say, or behind.
static bool add_to_set(int64_t *set, int64_t mask, int64_t v) {
  int64_t i = v & mask;
  for (; set[i] >= 0; i = (i + 1) & mask)
    if (set[i] == v)
      return false;
  set[i] = v;
  return true;
}

// rng:sample(n, count, shuffle): `count` different ones of 0 .. n-1 (Floyd's
// method: Bentley, "Programming Pearls: A Sample of Brilliance", 1987).
static int g_sample(lua_State *L) {
  struct generator *g = check_generator(L);
  int64_t n = luaL_checkinteger(L, 2), count = luaL_checkinteger(L, 3);
  int64_t size = 16;
  lua_settop(L, 4);
  while (size < count + count / 4 + 1)
    size *= 2;
  int64_t *set = array_data(array_push_host(L, DTYPE_I64, 1, &size));
  memset(set, 0xff, (size_t)size * sizeof *set); // -1: nothing there
  struct array *a = array_push_host(L, DTYPE_I64, 1, &count);
  int64_t *at = array_data(a);
  for (int64_t j = n - count; j < n; j++) {
    int64_t v = (int64_t)draw_bounded(g, (uint64_t)j);
    bool is_new = add_to_set(set, size - 1, v);
    if (!is_new)
      add_to_set(set, size - 1, j);
    *at++ = is_new ? v : j;
  }
  if (lua_toboolean(L, 4))
    draw_shuffle(g, array_data(a), count, 1, false);
  return 1;
}

// The tables of the state, made with its first generator.
static const struct draw_tables *tables_of(lua_State *L) {
  static const char key = 0;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TNIL) {
    draw_make_tables(lua_newuserdatauv(L, draw_tables_bytes, 0));
    lua_copy(L, -1, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  }
  const struct draw_tables *tables = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return tables;
}

static const char *const seed_names[] = {"seed"};

static int l_default_rng(lua_State *L) {
  np_spread(L, 1, "default_rng", seed_names, 1);
  lua_Integer value = luaL_optinteger(L, 1, 0);
  if (value < 0)
    bind_error(L, ERR_ARGUMENT,
               "np.random.default_rng: a seed is not "
               "negative");
  struct generator *g = lua_newuserdatauv(L, sizeof *g, 0);
  draw_seed(g, (uint64_t)value);
  g->tables = tables_of(L);
  luaL_setmetatable(L, GENERATOR_TYPE);
  return 1;
}

static int l_random_state(lua_State *L) {
  np_spread(L, 1, "RandomState", seed_names, 1);
  lua_Integer value = luaL_optinteger(L, 1, 0);
  if (value < 0 || value > UINT32_MAX)
    bind_error(L, ERR_ARGUMENT,
               "np.random.RandomState: a seed lies between 0 and 2^32 - 1");
  struct generator *g = lua_newuserdatauv(L, sizeof *g, 0);
  draw_seed_old(g, (uint32_t)value);
  luaL_setmetatable(L, GENERATOR_TYPE);
  return 1;
}

// rng:is_old(): is it a RandomState?
static int g_is_old(lua_State *L) {
  lua_pushboolean(L, check_generator(L)->is_old);
  return 1;
}

static int g_tostring(lua_State *L) {
  lua_pushstring(L, check_generator(L)->is_old ? "RandomState(MT19937)"
                                               : "Generator(PCG64)");
  return 1;
}

// np.random with default_rng and `methods`, the table of a generator's methods;
// lua/np/random.lua adds to both.
void np_open_random(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"random", g_random}, {"integers", g_integers}, {"order", g_order},
      {"sample", g_sample}, {"is_old", g_is_old},     {NULL, NULL},
  };
  luaL_newmetatable(L, GENERATOR_TYPE);
  lua_pushcfunction(L, g_tostring);
  lua_setfield(L, -2, "__tostring");
  luaL_newlib(L, methods);
  for (int i = 0; i < draw_row_count; i++) {
    lua_pushinteger(L, i);
    lua_pushcclosure(L, g_row, 1);
    lua_setfield(L, -2, draw_rows[i].name);
  }
  lua_newtable(L); // [np, type, methods, random]
  lua_pushcfunction(L, l_default_rng);
  lua_setfield(L, -2, "default_rng");
  lua_pushcfunction(L, l_random_state);
  lua_setfield(L, -2, "RandomState");
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "methods");
  lua_setfield(L, -4, "random");
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

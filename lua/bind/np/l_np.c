// SPDX-License-Identifier: Apache-2.0
// The module `np` and the type of arrays: which functions there are, which of
// them are methods, the operators, the properties, and what lua/np/np.lua adds.
#include "lua/bind/np/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/np/np.h"

// ---- Properties ----

static int p_shape(lua_State *L) {
  struct array *a = array_check(L, 1);
  lua_createtable(L, a->ndim, 0);
  for (int d = 0; d < a->ndim; d++) {
    lua_pushinteger(L, a->shape[d]);
    lua_rawseti(L, -2, d + 1);
  }
  return 1;
}

static int p_strides(lua_State *L) {
  struct array *a = array_check(L, 1);
  lua_createtable(L, a->ndim, 0);
  for (int d = 0; d < a->ndim; d++) {
    lua_pushinteger(L, a->strides[d]);
    lua_rawseti(L, -2, d + 1);
  }
  return 1;
}

static int p_dtype(lua_State *L) {
  lua_pushstring(L, dtype_name(array_check(L, 1)->dtype));
  return 1;
}

static int p_ndim(lua_State *L) {
  lua_pushinteger(L, array_check(L, 1)->ndim);
  return 1;
}

static int p_size(lua_State *L) {
  lua_pushinteger(L, array_count(array_check(L, 1)));
  return 1;
}

static int p_itemsize(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)dtype_bytes(array_check(L, 1)->dtype));
  return 1;
}

static int p_nbytes(lua_State *L) {
  struct array *a = array_check(L, 1);
  lua_pushinteger(L, array_count(a) * (int64_t)dtype_bytes(a->dtype));
  return 1;
}

static int p_device(lua_State *L) {
  lua_pushstring(L, array_where(L, array_check(L, 1)));
  return 1;
}

static int p_transposed(lua_State *L) {
  lua_settop(L, 1);
  if (np_is_jax(L, 1))
    return np_call_jax(L, "transpose");
  struct array *a = array_check(L, 1);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++) {
    shape[d] = a->shape[a->ndim - 1 - d];
    strides[d] = a->strides[a->ndim - 1 - d];
  }
  np_push_view(L, a, a->offset, a->ndim, shape, strides);
  return 1;
}

// With the last two axes exchanged.
static int p_matrix_transposed(lua_State *L) {
  lua_settop(L, 1);
  if (np_is_jax(L, 1))
    return np_call_jax(L, "matrix_transpose");
  struct array *a = array_check(L, 1);
  if (a->ndim < 2)
    bind_error(L, ERR_ARGUMENT, "x.mT: an array with at least two axes, not %d",
               a->ndim);
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++) {
    int from = d < a->ndim - 2 ? d : 2 * a->ndim - 3 - d;
    shape[d] = a->shape[from];
    strides[d] = a->strides[from];
  }
  np_push_view(L, a, a->offset, a->ndim, shape, strides);
  return 1;
}

// Whether a jax array came from a Lua number, and gives way in promotion.
static int p_weak_type(lua_State *L) {
  const struct array *a = array_check(L, 1);
  if (!a->is_jax)
    lua_pushnil(L);
  else
    lua_pushboolean(L, a->is_weak);
  return 1;
}

static const luaL_Reg properties[] = {
    {"shape", p_shape},
    {"strides", p_strides},
    {"dtype", p_dtype},
    {"ndim", p_ndim},
    {"size", p_size},
    {"nbytes", p_nbytes},
    {"itemsize", p_itemsize},
    {"device", p_device},
    {"T", p_transposed},
    {"weak_type", p_weak_type},
    {"mT", p_matrix_transposed},
    {NULL, NULL},
};

// ---- Operators ----

static int op_binary(lua_State *L) {
  enum kernel_binary op =
      (enum kernel_binary)lua_tointeger(L, lua_upvalueindex(1));
  int given = np_call_elsewhere(L, kernel_binary_name(op));
  if (given >= 0)
    return given;
  np_push_binary(L, op, 1, 2);
  return 1;
}

static int op_unary(lua_State *L) {
  enum kernel_unary op =
      (enum kernel_unary)lua_tointeger(L, lua_upvalueindex(1));
  lua_settop(L, 1); // an operator's second argument is the first again
  int given = np_call_elsewhere(L, kernel_unary_name(op));
  if (given >= 0)
    return given;
  np_push_unary(L, op, 1);
  return 1;
}

// Lua turns the result of < into true or false, so it cannot be elementwise.
static int op_less(lua_State *L) {
  bind_error(L, ERR_ARGUMENT,
             "Lua's < and > cannot compare arrays element by element: write "
             "x:lt(y) or np.less(x, y) (gt, greater for the other way)");
}

static int op_less_equal(lua_State *L) {
  bind_error(L, ERR_ARGUMENT,
             "Lua's <= and >= cannot compare arrays element by element: write "
             "x:le(y) or np.less_equal(x, y) (ge, greater_equal for the other "
             "way)");
}

static int op_len(lua_State *L) {
  struct array *a = array_check(L, 1);
  if (a->ndim == 0)
    bind_error(L, ERR_ARGUMENT, "an array without axes has no length");
  lua_pushinteger(L, a->shape[0]);
  return 1;
}

static int op_tostring(lua_State *L) {
  struct array *a = luaL_checkudata(L, 1, ARRAY_TYPE);
  const char *name = a->is_jax ? "Array" : "array";
  bool is_weak = a->is_weak; // the copy that is fetched is not
  if (a->storage && !a->storage->is_freed) {
    array_fetch_jax(L, 1);
    a = array_check(L, 1);
  }
  if (a->storage)
    array_push_text(L, a, name, is_weak);
  else
    lua_pushliteral(L, "array (closed)");
  return 1;
}

static const struct {
  const char *event;
  enum kernel_binary op;
} binary_operators[] = {
    {"__add", KERNEL_ADD},           {"__sub", KERNEL_SUBTRACT},
    {"__mul", KERNEL_MULTIPLY},      {"__div", KERNEL_DIVIDE},
    {"__idiv", KERNEL_FLOOR_DIVIDE}, {"__mod", KERNEL_MOD},
    {"__pow", KERNEL_POWER},         {"__band", KERNEL_BITWISE_AND},
    {"__bor", KERNEL_BITWISE_OR},    {"__bxor", KERNEL_BITWISE_XOR},
    {"__shl", KERNEL_LEFT_SHIFT},    {"__shr", KERNEL_RIGHT_SHIFT},
};

static void set_operators(lua_State *L) {
  for (size_t i = 0; i < sizeof binary_operators / sizeof *binary_operators;
       i++) {
    lua_pushinteger(L, binary_operators[i].op);
    lua_pushcclosure(L, op_binary, 1);
    lua_setfield(L, -2, binary_operators[i].event);
  }
  lua_pushinteger(L, KERNEL_NEGATIVE);
  lua_pushcclosure(L, op_unary, 1);
  lua_setfield(L, -2, "__unm");
  lua_pushinteger(L, KERNEL_INVERT);
  lua_pushcclosure(L, op_unary, 1);
  lua_setfield(L, -2, "__bnot");
  static const luaL_Reg events[] = {
      {"__lt", op_less},
      {"__le", op_less_equal},
      {"__len", op_len},
      {"__tostring", op_tostring},
      {"__gc", array_release},
      {"__close", array_release},
      {NULL, NULL},
  };
  luaL_setfuncs(L, events, 0);
}

// ---- The type ----

static void push_part(lua_State *L, const char *part) {
  luaL_getmetatable(L, ARRAY_TYPE);
  lua_getfield(L, -1, part);
  lua_remove(L, -2);
}

void array_push_methods(lua_State *L) {
  push_part(L, "methods");
}
void array_push_properties(lua_State *L) {
  push_part(L, "properties");
}

// Names that make no sense as x:name().
static bool is_only_function(const char *name) {
  static const char *const names[] = {
      "array", "asarray", "empty",    "zeros", "ones",          "full",
      "eye",   "arange",  "linspace", "where", "promote_types", "concatenate",
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return true;
  return false;
}

// [np] -> [np]; every other function of np is a method too.
static void add_methods(lua_State *L) {
  array_push_methods(L);
  lua_pushnil(L);
  while (lua_next(L, -3)) { // [np, methods, name, function]
    if (lua_isfunction(L, -1) && !is_only_function(lua_tostring(L, -2))) {
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_rawset(L, -5);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void make_type(lua_State *L) {
  if (!luaL_newmetatable(L, ARRAY_TYPE)) {
    lua_pop(L, 1);
    return;
  }
  array_keep_metatable(L);
  set_operators(L);
  lua_newtable(L);
  lua_setfield(L, -2, "methods");
  lua_newtable(L);
  luaL_setfuncs(L, properties, 0);
  lua_setfield(L, -2, "properties");
  lua_getfield(L, -1, "methods");
  lua_getfield(L, -2, "properties");
  lua_pushvalue(L, -2);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, np_index, 2);
  lua_setfield(L, -4, "__index");
  lua_pushcclosure(L, np_newindex, 2);
  lua_setfield(L, -2, "__newindex");
  // getmetatable(x) must not let a script break the type.
  lua_pushliteral(L, ARRAY_TYPE);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

// ---- The module ----

static void set_constants(lua_State *L) {
  for (int t = 0; t < DTYPE_COUNT; t++) {
    const char *name = dtype_name((enum dtype)t);
    lua_pushstring(L, name);
    lua_setfield(L, -2, name);
    lua_pushstring(L, name);
    lua_setfield(L, -2, dtype_numpy_name((enum dtype)t));
  }
  lua_pushliteral(L, "bool");
  lua_setfield(L, -2, "bool_");
  lua_pushnumber(L, NAN);
  lua_setfield(L, -2, "nan");
  lua_pushnumber(L, INFINITY);
  lua_setfield(L, -2, "inf");
  lua_pushnumber(L, M_PI);
  lua_setfield(L, -2, "pi");
  lua_pushnumber(L, M_E);
  lua_setfield(L, -2, "e");
  lua_pushliteral(L, "None");
  lua_setfield(L, -2, "newaxis");
}

// raise(kind_code_text, message) for the library's Lua files.
static int l_raise_argument(lua_State *L) {
  bind_error(L, ERR_ARGUMENT, "%s", luaL_checkstring(L, 1));
}

// method(name): makes np[name] a method of arrays as well.
static int l_method(lua_State *L) {
  array_push_methods(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_getfield(L, -1, luaL_checkstring(L, 1));
  lua_setfield(L, -3, lua_tostring(L, 1));
  return 0;
}

// Runs lua/NAME.lua, which gets np, the function that raises, `method`, and
// the C functions that only these files use. [np, core] -> [np, core, results...]
static void add_lua_part(lua_State *L, const char *name, int results) {
  lua_pushfstring(L, "lua/%s.lua", name);
  bind_push_chunk(L, lua_tostring(L, -1));
  lua_remove(L, -2);
  lua_pushvalue(L, -3);
  lua_pushcfunction(L, l_raise_argument);
  lua_pushvalue(L, -5);
  lua_pushcclosure(L, l_method, 1);
  lua_pushvalue(L, -5);
  lua_call(L, 4, results);
}

// load(name): what a file gives that np does not need at its start.
static int l_load(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  add_lua_part(L, name, 1);
  return 1;
}

// function_metatable(t): that of all functions (debug is not in the sandbox).
static int l_function_metatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushcfunction(L, l_function_metatable);
  lua_pushvalue(L, 1);
  lua_setmetatable(L, -2);
  return 0;
}

int luaopen_np(lua_State *L) {
  make_type(L);
  np_open_lua(L);
  lua_newtable(L);
  np_open_create(L);
  np_open_shape(L);
  np_open_ufunc(L);
  np_open_reduce(L);
  np_open_product(L);
  np_open_cumulative(L);
  np_open_sort(L);
  np_open_search(L);
  np_open_take(L);
  np_wrap_functions(L);
  add_methods(L);
  np_open_npy(L);
  np_open_random(L);
  np_open_print(L);
  set_constants(L);
  // In this order: the later ones use the earlier ones' functions.
  static const char *const parts[] = {
      "array/define",      "array/shape",   "array/join",     "array/create",
      "array/math",        "array/stats",   "array/quantile", "array/bins",
      "array/differences", "array/product", "array/sets",     "array/complex",
      "array/fft",         "array/matrix",  "np/policy",      "np/np",
      "np/math",           "np/testing",    "np/stats",       "np/sets",
      "np/random",         "np/file",       "array/common",   "array/linalg",
      "array/ufunc",
  };
  np_push_core(L);
  lua_pushcfunction(L, l_function_metatable);
  lua_setfield(L, -2, "function_metatable");
  lua_pushvalue(L, -2);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, l_load, 2);
  lua_setfield(L, -2, "load");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    add_lua_part(L, parts[i], 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, NP_CORE);
  lua_pop(L, 1);
  np_wrap_functions(L);
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
// What Lua's own ways through a table do with an array, which counts from 0:
// ipairs would skip the first element, and go on for ever on a jax array, whose
// indexes are clamped.
#include "lua/bind/np/np.h"

#include <string.h>

#include "lua/bind/np/array.h"

// Of np or of jax: an array, a traced value, keys.
static bool is_array_like(lua_State *L, int i) {
  if (array_test(L, i) || np_is_jax(L, i))
    return true;
  if (!lua_istable(L, i) || luaL_getmetafield(L, i, "__name") == LUA_TNIL)
    return false;
  const char *name = lua_tostring(L, -1);
  bool is_key = name && !strcmp(name, "key<fry>");
  lua_pop(L, 1);
  return is_key;
}

static int no_iteration(lua_State *L, const char *what) {
  return bind_error(L, ERR_ARGUMENT,
                    "%s does not go through an array, which counts from 0: "
                    "for i = 0, #x - 1 do local row = x[i] ... end, or "
                    "ipairs(x:tolist())",
                    what);
}

// Upvalue 1: Lua's own.
static int l_ipairs(lua_State *L) {
  if (array_test(L, 1))
    return no_iteration(L, "ipairs");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

// unpack(x): the rows, or the elements of one axis, of an array.
static int unpack_array(lua_State *L) {
  lua_Integer n = luaL_len(L, 1);
  if (n > 200 || !lua_isnoneornil(L, 2))
    return bind_error(L, ERR_ARGUMENT,
                      "unpack of an array gives all of its first axis, 200 at "
                      "most: x[\"0:3\"] takes a part first");
  luaL_checkstack(L, (int)n, "too many results");
  lua_settop(L, 1);
  for (lua_Integer i = 0; i < n; i++)
    lua_geti(L, 1, i);
  return (int)n;
}

static int l_unpack(lua_State *L) {
  if (is_array_like(L, 1))
    return unpack_array(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int op_pairs(lua_State *L) {
  return no_iteration(L, "pairs");
}

static int op_call(lua_State *L) {
  return bind_error(L, ERR_ARGUMENT,
                    "an array is not a function: an index stands in brackets, "
                    "x[i], a method behind a colon, x:sum(), and for i = 0, "
                    "#x - 1 do ... end goes through it");
}

static int op_concat(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

// ---- Names of types ----

// Lua's own error for a text that is called, with the name that it has.
static int no_function(lua_State *L) {
  lua_Debug ar;
  const char *what = "";
  if (lua_getstack(L, 0, &ar) && lua_getinfo(L, "n", &ar) && ar.name)
    what = lua_pushfstring(L, " (%s '%s')", ar.namewhat, ar.name);
  return luaL_error(L, "attempt to call a string value%s", what);
}

// np.float32(x): an array of this type, without axes from a number. The names
// are strings, and so this is what calling a string does.
static int call_type(lua_State *L) {
  enum dtype t;
  if (!dtype_parse(lua_tostring(L, 1), &t))
    return no_function(L);
  if (lua_gettop(L) > 2)
    bind_error(L, ERR_ARGUMENT, "%s(x) takes one value", lua_tostring(L, 1));
  if (lua_gettop(L) == 1)
    lua_pushinteger(L, 0);
  if (np_is_jax(L, 2) || np_has_device(L, 2)) {
    lua_insert(L, 1); // [x, type]
    return np_is_jax(L, 1) ? np_call_jax(L, "astype")
                           : np_call_device(L, "astype");
  }
  array_push_from(L, 2, t);
  return 1;
}

static void let_types_be_called(lua_State *L) {
  lua_pushliteral(L, "");
  if (lua_getmetatable(L, -1)) {
    lua_pushcfunction(L, call_type);
    lua_setfield(L, -2, "__call");
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void wrap(lua_State *L, const char *name, lua_CFunction f) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

void np_open_lua(lua_State *L) {
  let_types_be_called(L);
  static const luaL_Reg events[] = {
      {"__pairs", op_pairs},
      {"__call", op_call},
      {"__concat", op_concat},
      {NULL, NULL},
  };
  luaL_getmetatable(L, ARRAY_TYPE);
  luaL_setfuncs(L, events, 0);
  lua_pushglobaltable(L);
  wrap(L, "ipairs", l_ipairs);
  lua_getfield(L, -1, "table");
  if (lua_istable(L, -1))
    wrap(L, "unpack", l_unpack);
  lua_pop(L, 3);
}

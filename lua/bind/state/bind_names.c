// SPDX-License-Identifier: Apache-2.0
// Names that a library's table has not.
#include <string.h>

#include "base/nearest.h"
#include "lua/bind/state/bind.h"

static const struct {
  const char *path, *answer;
} rows[] = {
#define NAME(path, answer) {path, answer},
#include "lua/bind/state/bind_names.def"
#undef NAME
};

// What to write for a name that people bring along, or NULL.
static const char *known_answer(const char *table, const char *key) {
  size_t n = strlen(table);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strncmp(rows[i].path, table, n) && rows[i].path[n] == '.' &&
        !strcmp(rows[i].path + n + 1, key))
      return rows[i].answer;
  return NULL;
}

const char *bind_known_name(const char *path) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].path, path))
      return rows[i].answer;
  return NULL;
}

// table[key]. Upvalues: the table's name, and nil or its names of types.
static int l_no_such_name(lua_State *L) {
  if (lua_istable(L, lua_upvalueindex(2))) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TTABLE) {
      lua_rawgeti(L, -1, bind_calls_at_once(L, 1) ? 2 : 1);
      return 1;
    }
  }
  const char *name = lua_tostring(L, lua_upvalueindex(1));
  if (lua_type(L, 2) != LUA_TSTRING || !strncmp(lua_tostring(L, 2), "__", 2))
    return 0;
  const char *key = lua_tostring(L, 2), *answer = known_answer(name, key);
  if (answer)
    return bind_error(L, ERR_ARGUMENT, "%s has no %s: %s", name, key, answer);
  struct nearest near = nearest_to(key);
  lua_pushvalue(L, 1);
  bind_try_names(L, &near);
  if (lua_istable(L, lua_upvalueindex(2))) {
    lua_pushvalue(L, lua_upvalueindex(2));
    bind_try_names(L, &near);
  }
  if (near.name)
    return bind_error(L, ERR_ARGUMENT, "%s has no %s; did you mean %s.%s?",
                      name, key, name, near.name);
  return bind_error(L, ERR_ARGUMENT, "%s has no %s (?%s lists what it has)",
                    name, key, name);
}

void bind_guard_names(lua_State *L, const char *name, int types) {
  if (types)
    lua_pushvalue(L, types);
  else
    lua_pushnil(L);
  lua_insert(L, -2); // [types, table]
  lua_newtable(L);
  lua_pushstring(L, name);
  lua_pushvalue(L, -4);
  lua_pushcclosure(L, l_no_such_name, 2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_remove(L, -2);
}

// The name that the table at the top was guarded with, or NULL.
static const char *guarded_name(lua_State *L) {
  const char *name = NULL;
  if (!lua_istable(L, -1) || !lua_getmetatable(L, -1))
    return NULL;
  lua_pushliteral(L, "__index");
  lua_rawget(L, -2);
  // The name stays alive in the closure.
  if (lua_tocfunction(L, -1) == l_no_such_name && lua_getupvalue(L, -1, 1)) {
    name = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return name;
}

// Is the value at the top the function at `f`, or a C function around it?
static bool leads_to(lua_State *L, int f) {
  if (lua_rawequal(L, -1, f))
    return true;
  if (!lua_iscfunction(L, -1) || !lua_getupvalue(L, -1, 1))
    return false;
  bool is_same = lua_rawequal(L, -1, f);
  lua_pop(L, 1);
  return is_same;
}

// [function, table] -> [function, table, key], or false.
static bool push_key(lua_State *L) {
  int f = lua_gettop(L) - 1;
  for (lua_pushnil(L); lua_next(L, f + 1); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING && leads_to(L, f))
      return lua_pop(L, 1), true;
  return false;
}

// A call with a colon is near: so an error at the end of a deep recursion costs
// no walk through all of it, which takes the square of its depth.
enum { NEAR_LEVELS = 50 };

bool bind_push_colon_call(lua_State *L) {
  lua_Debug ar;
  int top = lua_gettop(L);
  luaL_checkstack(L, 8, NULL);
  for (int level = 0; level < NEAR_LEVELS && lua_getstack(L, level, &ar);
       level++, lua_settop(L, top)) {
    lua_getinfo(L, "f", &ar);
    const char *module = lua_getlocal(L, &ar, 1) ? guarded_name(L) : NULL;
    if (module && push_key(L)) {
      lua_pushfstring(L, "%s.%s", module, lua_tostring(L, -1));
      lua_replace(L, top + 1);
      lua_settop(L, top + 1);
      return true;
    }
  }
  return false;
}

int bind_l_nearest(lua_State *L) {
  struct nearest near = nearest_to(luaL_checkstring(L, 1));
  lua_Integer n = luaL_len(L, 2);
  for (lua_Integer i = 1; i <= n; i++) {
    size_t bytes;
    lua_rawgeti(L, 2, i); // the table keeps the text
    const char *name = lua_tolstring(L, -1, &bytes);
    nearest_try(&near, name, bytes);
    lua_pop(L, 1);
  }
  lua_pushstring(L, near.name);
  return 1;
}

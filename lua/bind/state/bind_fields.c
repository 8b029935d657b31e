// SPDX-License-Identifier: Apache-2.0
// Fields of Lua tables: setting, reading, walking through them, finding what a
// path names.
#include <string.h>

#include "lua/bind/state/bind.h"

void bind_set_integer(lua_State *L, const char *key, lua_Integer n) {
  lua_pushinteger(L, n);
  lua_setfield(L, -2, key);
}

void bind_set_number(lua_State *L, const char *key, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, key);
}

void bind_set_text(lua_State *L, const char *key, const char *text) {
  if (!text)
    return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

lua_Integer bind_get_integer(lua_State *L, const char *key) {
  lua_getfield(L, -1, key);
  lua_Integer n = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return n;
}

bool bind_get_flag(lua_State *L, const char *key) {
  lua_getfield(L, -1, key);
  bool is_set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is_set;
}

void bind_try_names(lua_State *L, struct nearest *near) {
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) {
      size_t bytes;
      const char *name = lua_tolstring(L, -2, &bytes);
      nearest_try(near, name, bytes);
    }
}

void bind_push_named(lua_State *L, const char *path) {
  lua_pushglobaltable(L);
  bool is_all = false;
  while (!is_all && lua_istable(L, -1)) {
    size_t bytes = strcspn(path, ".:");
    lua_pushlstring(L, path, bytes);
    lua_gettable(L, -2);
    lua_remove(L, -2);
    is_all = !path[bytes];
    path += bytes + !is_all;
  }
  if (is_all)
    return;
  lua_pop(L, 1);
  lua_pushnil(L);
}

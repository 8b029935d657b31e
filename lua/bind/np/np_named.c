// SPDX-License-Identifier: Apache-2.0
// Named arguments: a last argument such as {axis = 0, keepdims = true}.
#include <string.h>

#include "lua/bind/np/np.h"

bool np_is_named(lua_State *L, int i) {
  if (!lua_istable(L, i) || lua_rawlen(L, i) > 0)
    return false;
  if (lua_getmetatable(L, i)) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushnil(L);
  if (!lua_next(L, i))
    return false;
  bool is_name = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return is_name;
}

static void unknown_name(lua_State *L, const char *function, const char *name,
                         const char *const *names, int count) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int k = 0; k < count; k++) {
    luaL_addstring(&b, k ? ", " : "");
    luaL_addstring(&b, names[k]);
  }
  luaL_pushresult(&b);
  bind_error(L, ERR_ARGUMENT,
             "%s: there is no argument named %s (there are %s)", function, name,
             lua_tostring(L, -1));
}

void np_drop_nameless(lua_State *L, int i) {
  if (lua_gettop(L) != i || !lua_istable(L, i) || lua_getmetatable(L, i))
    return;
  lua_pushnil(L);
  if (lua_next(L, i))
    lua_pop(L, 2);
  else
    lua_settop(L, i - 1);
}

int np_place(const char *const *names, int count, const char *name) {
  for (int k = 0; k < count; k++)
    if (!strcmp(names[k], name))
      return k;
  return -1;
}

void np_spread(lua_State *L, int i, const char *function,
               const char *const *names, int count) {
  int top = lua_gettop(L), last = i + count - 1;
  if (top < i || !np_is_named(L, top)) {
    lua_settop(L, last);
    return;
  }
  lua_insert(L, 1); // [named, arguments]: they stand one higher now
  lua_settop(L, top > last + 1 ? top : last + 1);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2)
                                                      : luaL_typename(L, -2);
    int k = np_place(names, count, name);
    if (k < 0)
      unknown_name(L, function, name, names, count);
    if (!lua_isnil(L, i + 1 + k))
      bind_error(L, ERR_ARGUMENT, "%s: %s is given twice", function, name);
    lua_replace(L, i + 1 + k);
  }
  lua_remove(L, 1);
  lua_settop(L, last);
}

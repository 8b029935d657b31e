// SPDX-License-Identifier: Apache-2.0
// The line itself in Lua, by lua/from_python.lua. It runs in a Lua of its own:
// the learner may have changed every function of theirs.
#include "repl/eval/translate.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// name -> "array", "text", "table" or nil; protected, in the learner's state.
static int kind_of_global(lua_State *L) {
  lua_pushglobaltable(L);
  lua_pushvalue(L, 1);
  lua_rawget(L, -2);
  if (array_test(L, -1))
    lua_pushliteral(L, "array");
  else if (lua_type(L, -1) == LUA_TSTRING)
    lua_pushliteral(L, "text");
  else if (lua_type(L, -1) == LUA_TTABLE)
    lua_pushliteral(L, "table");
  else
    lua_pushnil(L);
  return 1;
}

// name -> the same; called by the translation.
static int kind_of(lua_State *own) {
  lua_State *L = lua_touserdata(own, lua_upvalueindex(1));
  const char *name = lua_tostring(own, 1), *kind = NULL;
  if (L && name) {
    lua_pushcfunction(L, kind_of_global);
    lua_pushstring(L, name);
    if (bind_pcall(L, 1, 1) == LUA_OK)
      kind = lua_tostring(L, -1);
    lua_pushstring(own, kind); // nil for NULL
    lua_pop(L, 1);
    return 1;
  }
  return 0;
}

char *translate_line(lua_State *L, const char *line, bool even_lua) {
  char *path = file_own("lua/from_python.lua"), *result = NULL;
  lua_State *own = path ? luaL_newstate() : NULL;
  if (own) {
    luaL_openlibs(own);
    if (luaL_loadfilex(own, path, "t") == LUA_OK &&
        lua_pcall(own, 0, 1, 0) == LUA_OK) {
      lua_pushstring(own, line);
      lua_pushlightuserdata(own, L);
      lua_pushcclosure(own, kind_of, 1);
      lua_pushboolean(own, even_lua);
      if (lua_pcall(own, 3, 1, 0) == LUA_OK && lua_isstring(own, -1))
        result = xstrdup(lua_tostring(own, -1));
    }
    lua_close(own);
  }
  free(path);
  return result;
}

// SPDX-License-Identifier: Apache-2.0
// Libraries that are written in Lua: one function that runs each of their files
// once, and a table that is filled at the first look at it, since to load one
// takes longer than to start the program.
#include <string.h>

#include "base/log.h"
#include "lua/bind/state/bind.h"

// [name, use] -> [what the file returned]. Upvalue 2: the folder; 3: the
// beginning of names that are lua/'s own, or nil.
static void run_file(lua_State *L, const char *name) {
  const char *folder = lua_tostring(L, lua_upvalueindex(2));
  const char *beside = lua_tostring(L, lua_upvalueindex(3));
  bool is_beside = beside && !strncmp(name, beside, strlen(beside));
  lua_pushfstring(L, "%s/%s.lua", is_beside ? "lua" : folder, name);
  bind_push_chunk(L, lua_tostring(L, -1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
}

// use(name): upvalue 1 has what is loaded.
static int l_use(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  if (lua_getfield(L, lua_upvalueindex(1), name) != LUA_TNIL)
    return 1;
  run_file(L, name);
  if (lua_isnil(L, -1))
    lua_pushboolean(L, true);
  lua_pushvalue(L, -1);
  lua_setfield(L, lua_upvalueindex(1), name);
  return 1;
}

void bind_make_use(lua_State *L, const char *folder, const char *beside) {
  lua_newtable(L);
  lua_newtable(L); // what is loaded
  lua_pushstring(L, folder);
  lua_pushstring(L, beside);
  lua_pushcclosure(L, l_use, 3);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
}

// [table, key]; upvalue 1 fills the table.
static int first_look(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 0);
  lua_gettable(L, 1);
  return 1;
}

// pairs(table): what is there once it is loaded.
static int first_pairs(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
  lua_getglobal(L, "next");
  lua_pushvalue(L, 1);
  return 2;
}

void bind_push_library(lua_State *L, lua_CFunction load) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, load);
  lua_pushcclosure(L, first_look, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, load);
  lua_pushcclosure(L, first_pairs, 1);
  lua_setfield(L, -2, "__pairs");
  lua_setmetatable(L, -2);
}

int bind_l_guard(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  bind_guard_names(L, luaL_checkstring(L, 2), 0);
  return 0;
}

int bind_l_value_text(lua_State *L) {
  lua_pushstring(L, bind_value_text(L, 1));
  return 1;
}

int bind_l_warn(lua_State *L) {
  log_say(LOG_OF_PROGRAM | LOG_WARNING, "%s", luaL_checkstring(L, 1));
  return 0;
}

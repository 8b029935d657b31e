// SPDX-License-Identifier: Apache-2.0
// The same for Lua: mutation_reached() among the functions of strings, which every piece
// of code finds whatever its globals are. The programs are linked with
// --wrap=luaopen_string.
#include <lauxlib.h>
#include <lua.h>

void mutation_reached(int number);
int __real_luaopen_string(lua_State *L);
int __wrap_luaopen_string(lua_State *L);

static int reached(lua_State *L) {
  mutation_reached((int)luaL_checkinteger(L, 1));
  return 0;
}

int __wrap_luaopen_string(lua_State *L) {
  int results = __real_luaopen_string(L);
  lua_pushcfunction(L, reached);
  lua_setfield(L, -2, "mutation_reached");
  return results;
}

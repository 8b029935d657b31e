// SPDX-License-Identifier: Apache-2.0
// The stop's table of cuda.debug, at index 1 of the Lua stack while its callback runs.
#include <string.h>

#include "repl/debugger/session.h"
#include "repl/debugger/stop.h"

const char *stop_field(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  const char *s = lua_tostring(L, -1);
  lua_pop(L, 1); // the table keeps it
  return s ? s : "";
}

int stop_number(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  int n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return n;
}

bool stop_is(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  bool b = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return b;
}

void stop_add_triple(lua_State *L, const char *name, struct str *out) {
  lua_getfield(L, 1, name);
  for (int i = 1; i <= 3; i++) {
    lua_rawgeti(L, -1, i);
    str_addf(out, "%s%lld", i > 1 ? "," : "(", (long long)lua_tointeger(L, -1));
    lua_pop(L, 1);
  }
  str_add_char(out, ')');
  lua_pop(L, 1);
}

unsigned stop_thread(lua_State *L, const unsigned block[3]) {
  unsigned t[3];
  lua_getfield(L, 1, "thread");
  for (int i = 0; i < 3; i++) {
    lua_rawgeti(L, -1, i + 1);
    t[i] = (unsigned)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return t[0] + block[0] * (t[1] + block[1] * t[2]);
}

// SPDX-License-Identifier: Apache-2.0
// The values that the prompt printed, under names: `_`, `__` and `___` the last
// ones, as in Python, `_1`, `_2` ... those of this session, `_n` how many.
#include "repl/eval/eval.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "lua/bind/np/array.h"

// The registry's table name -> what we put there.
#define VALUES "warpshop.values"

// The newest are kept, and no large array: a value that nobody named is not to
// fill the memory.
enum { NUMBERED = 20, LARGE_BYTES = 16 << 20 };

bool values_is_name(const char *name) {
  if (*name != '_')
    return false;
  name++;
  return !name[strspn(name, "_")] || !strcmp(name, "n") ||
         !name[strspn(name, "0123456789")];
}

// [values, globals, ..., value] -> [values, globals, ...]; a name that the
// learner has given something else is theirs, but for `_` and its like: in Lua
// what is put there (`_, x = f()`) is thrown away.
static void put(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, 2);
  lua_getfield(L, 1, name);
  bool is_ours =
      !name[strspn(name, "_")] || lua_isnil(L, -2) || lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  if (!is_ours) {
    lua_pop(L, 1);
    return;
  }
  lua_pushstring(L, name);
  lua_pushvalue(L, -2);
  lua_rawset(L, 2);
  lua_setfield(L, 1, name);
}

static bool is_large(lua_State *L, int at) {
  const struct array *a = array_test(L, at);
  return a && a->storage && a->storage->bytes > LARGE_BYTES;
}

static void put_numbered(lua_State *L, lua_Integer n) {
  char name[32];
  snprintf(name, sizeof name, "_%lld", (long long)n);
  put(L, name);
}

// value -> nothing; protected, for memory may run out.
int values_keep(lua_State *L) {
  lua_settop(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, VALUES);
  lua_insert(L, 1);
  lua_pushglobaltable(L);
  lua_insert(L, 2); // [values, globals, value]
  lua_getfield(L, 1, "__");
  put(L, "___");
  lua_getfield(L, 1, "_");
  put(L, "__");
  lua_pushvalue(L, 3);
  put(L, "_");
  lua_getfield(L, 1, "_n");
  lua_Integer n = lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  if (n > NUMBERED) {
    lua_pushnil(L);
    put_numbered(L, n - NUMBERED);
  }
  if (!is_large(L, 3)) {
    lua_pushvalue(L, 3);
    put_numbered(L, n);
  }
  lua_pushinteger(L, n);
  put(L, "_n");
  // Counted on even where `_n` is the learner's.
  lua_pushinteger(L, n);
  lua_setfield(L, 1, "_n");
  return 0;
}

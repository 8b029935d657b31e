// SPDX-License-Identifier: Apache-2.0
// The Lua state that exercise.lua runs in: what it may use, and for how long.
#include "grade/exercise/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_INSTRUCTIONS = 100000000 };
static const size_t max_bytes = 512u << 20;

// From then on every instruction raises, so that no pcall can go on.
static void stop(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, stop, LUA_MASKCOUNT, 1);
  luaL_error(L, "more than %d Lua instructions", MAX_INSTRUCTIONS);
}

enum err sandbox_call(lua_State *L, int arguments, int results,
                      struct err_info *e) {
  lua_sethook(L, stop, LUA_MASKCOUNT, MAX_INSTRUCTIONS);
  int rc = lua_pcall(L, arguments, results, 0);
  lua_sethook(L, NULL, 0, 0);
  if (rc == LUA_OK)
    return ERR_OK;
  // Not luaL_tolstring: strings have a metatable, which may hold anything.
  const char *text = lua_tostring(L, -1);
  err_set(e, rc == LUA_ERRMEM ? ERR_NOMEM : ERR_ARGUMENT, "%s",
          text ? text : "it raised an error that is no text");
  lua_pop(L, 1);
  return rc == LUA_ERRMEM ? ERR_NOMEM : ERR_ARGUMENT;
}

// blocks_for(n, threads): blocks of that many threads for n elements.
static int blocks_for(lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 1), threads = luaL_checkinteger(L, 2);
  luaL_argcheck(L, n >= 0, 1, "a number of elements is 0 or more");
  luaL_argcheck(L, threads > 0, 2, "a block has at least one thread");
  lua_pushinteger(L, n / threads + (n % threads != 0));
  return 1;
}

// [text, name]
static int run_text(lua_State *L) {
  const char *text = lua_touserdata(L, 1), *name = lua_touserdata(L, 2);
  if (luaL_loadbufferx(L, text, strlen(text), name, "t"))
    return lua_error(L);
  lua_call(L, 0, 1);
  if (!lua_istable(L, -1))
    return luaL_error(L, "%s must return a table", name + 1);
  return 1;
}

// Opens libraries and runs the text; protected, as both may raise.
static int open_and_run(lua_State *L) {
  static const char *const unsafe[] = {"dofile",      "loadfile",       "load",
                                       "print",       "collectgarbage", "warn",
                                       "setmetatable"};
  luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
  luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
  lua_pushnil(L); // what is drawn comes from the seed
  lua_setfield(L, -2, "random");
  luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
  luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
  for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
    lua_pushnil(L);
    lua_setglobal(L, unsafe[i]);
  }
  lua_register(L, "blocks_for", blocks_for);
  return run_text(L);
}

static void *allocate(void *used_bytes, void *p, size_t old, size_t bytes) {
  size_t *used = used_bytes, had = p ? old : 0;
  if (bytes > had && *used - had + bytes > max_bytes)
    return NULL;
  void *q = bytes ? realloc(p, bytes) : NULL;
  if (!p)
    mem_ask_for_huge_pages(q, bytes);
  if (!bytes)
    free(p);
  if (q || !bytes)
    *used += bytes - had;
  return q;
}

void sandbox_close(lua_State *L) {
  void *used;
  if (!L)
    return;
  lua_getallocf(L, &used);
  lua_close(L);
  free(used);
}

static enum err run(lua_State *L, lua_CFunction how, const char *text,
                    const char *folder, struct err_info *e) {
  char *name = xasprintf("@%s/exercise.lua", folder);
  lua_pushcfunction(L, how);
  lua_pushlightuserdata(L, (void *)text);
  lua_pushlightuserdata(L, name);
  enum err err = sandbox_call(L, 2, 1, e);
  free(name);
  return err;
}

enum err sandbox_open(const char *text, const char *folder, lua_State **out,
                      struct err_info *e) {
  *out = NULL;
  size_t *used = xcalloc(1, sizeof *used);
  lua_State *L = lua_newstate(allocate, used);
  if (!L) {
    free(used);
    return err_set(e, ERR_NOMEM, "no memory for a Lua state");
  }
  enum err err = run(L, open_and_run, text, folder, e);
  if (err)
    sandbox_close(L);
  else
    *out = L;
  return err;
}

enum err sandbox_run(lua_State *L, const char *text, const char *folder,
                     struct err_info *e) {
  return run(L, run_text, text, folder, e);
}

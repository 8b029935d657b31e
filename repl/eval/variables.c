// SPDX-License-Identifier: Apache-2.0
// Before a lesson's cell runs, what its earlier cells set is put back:
// lua/lesson_variables.lua does it, with what only C can tell of a value.
#include <lauxlib.h>

#include "lua/bind/cuda/cuda.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"

// value -> "host", "device", "kernel" or nil
static int kind(lua_State *L) {
  const struct array *a = array_test(L, 1);
  if (a && !a->is_jax)
    lua_pushstring(L, array_is_device(a) ? "device" : "host");
  else if (luaL_testudata(L, 1, LCUDA_KERNEL))
    lua_pushliteral(L, "kernel");
  else
    lua_pushnil(L);
  return 1;
}

// Pushes the module, loaded on first use.
static void push_module(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, (void *)push_module) == LUA_TTABLE)
    return;
  lua_pop(L, 1);
  bind_push_chunk(L, "lua/lesson_variables.lua");
  lua_pushglobaltable(L);
  lua_pushcfunction(L, kind);
  lua_getfield(L, LUA_REGISTRYINDEX, BIND_FIRST_GLOBALS);
  lua_call(L, 3, 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, (void *)push_module);
}

static int run(lua_State *L) {
  push_module(L);
  lua_pushvalue(L, 1);
  lua_rawget(L, -2);
  lua_call(L, 0, 0);
  return 0;
}

static void call(struct shop *s, const char *name) {
  lua_pushcfunction(s->L, run);
  lua_pushstring(s->L, name);
  if (bind_pcall(s->L, 1, 0) != LUA_OK)
    eval_show_error(s);
}

void variables_forget(struct shop *s) {
  call(s, "forget");
}

void variables_before_cell(struct shop *s) {
  call(s, "before");
}

void variables_after_cell(struct shop *s) {
  call(s, "after");
}

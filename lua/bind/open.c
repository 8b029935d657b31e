// SPDX-License-Identifier: Apache-2.0
// A Lua state with np, cuda, jax, frame, h5, ml and scale.
#include <lauxlib.h>
#include <stdio.h>

#include "lua/bind/cuda/cuda.h"
#include "lua/bind/frame/frame.h"
#include "lua/bind/h5/h5.h"
#include "lua/bind/jax/l_jax.h"
#include "lua/bind/ml/ml.h"
#include "lua/bind/np/array.h"
#include "lua/bind/scale/scale.h"
#include "lua/bind/state/bind.h"

// np, cuda and the parts of np; jax and jnp do so when they are first used.
static void guard_libraries(lua_State *L) {
  static const char *const parts[] = {"linalg", "fft", "random", "testing"};
  lua_getglobal(L, "cuda");
  bind_guard_names(L, "cuda", 0);
  lua_getglobal(L, "np");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char name[32];
    snprintf(name, sizeof name, "np.%s", parts[i]);
    lua_getfield(L, -1, parts[i]);
    bind_guard_names(L, name, 0);
    lua_pop(L, 1);
  }
  bind_guard_names(L, "np", 0);
  lua_pop(L, 2);
}

// Remembers the globals that are there from the start and what they hold: for :who,
// the completion and scale's tasks, which want the learner's own, and for a lesson's
// cell, which finds the rest as it was.
static void mark_globals(lua_State *L) {
  lua_newtable(L);
  lua_pushglobaltable(L);
  lua_pushnil(L);
  while (lua_next(L, -2)) { // [marks, globals, key, value]
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, BIND_FIRST_GLOBALS);
}

static int l_absent(lua_State *L) {
  bind_error(L, ERR_ARGUMENT,
             "%s is not there where answers are judged; np, jnp and jax are",
             lua_tostring(L, lua_upvalueindex(1)));
  return 0;
}

// A library that a submission has not says so where it is asked for something.
static void leave_out(lua_State *L, const char *name) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, name);
  lua_pushcclosure(L, l_absent, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setglobal(L, name);
}

static void open_libraries(lua_State *L, const struct bind_options *options) {
  lcuda_open(L, options); // [cuda]
  lua_setglobal(L, "cuda");
  luaL_requiref(L, "np", luaopen_np, 1);
  lua_pop(L, 1);
  lcuda_open_methods(L);
  ljax_open(L);
  // A submission has none of these: frame and h5 read files, ml's one line would be the
  // answer where k-means or neighbours are the exercise, and scale starts processes.
  if (options->sandboxed) {
    leave_out(L, "frame");
    leave_out(L, "h5");
    leave_out(L, "ml");
    leave_out(L, "scale");
  } else {
    lframe_open(L);
    lh5_open(L);
    lml_open(L);
    lscale_open(L);
  }
  guard_libraries(L);
  if (!options->sandboxed)
    mark_globals(L);
}

lua_State *bind_new(const struct bind_options *options, struct err_info *e) {
  return bind_new_with(options, open_libraries, e);
}

// SPDX-License-Identifier: Apache-2.0
// Opens `scale`. Its Lua files call `use` for one another and find in it what they
// need of C; they are loaded at the first look.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_left.h"
#include "base/progress.h"
#include "lua/bind/h5/h5.h"
#include "lua/bind/scale/l_scale.h"
#include "lua/bind/scale/scale.h"

// ---- How far a work is ----

#define PROGRESS_TYPE "scale.progress"

static int end_progress(lua_State *L) {
  struct progress *p = luaL_checkudata(L, 1, PROGRESS_TYPE);
  if (p->what)
    progress_end(p);
  p->what = NULL;
  return 0;
}

// progress(): a value to close, of a work that begins now.
static int l_progress(lua_State *L) {
  struct progress *p = lua_newuserdatauv(L, sizeof *p, 0);
  *p = (struct progress){0};
  if (luaL_newmetatable(L, PROGRESS_TYPE)) {
    lua_pushcfunction(L, end_progress);
    lua_setfield(L, -2, "__close");
    lua_pushcfunction(L, end_progress);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  progress_begin(p, "", 0);
  p->unit = "tasks";
  return 1;
}

// progress_step(progress, done, count)
static int l_progress_step(lua_State *L) {
  struct progress *p = luaL_checkudata(L, 1, PROGRESS_TYPE);
  p->count = luaL_checknumber(L, 3);
  progress_step(p, luaL_checknumber(L, 2), NULL);
  progress_look();
  return 0;
}

// ---- What the Lua files need ----

static int l_memory_allowed(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)memory_allowed(""));
  return 1;
}

// is_own_global(name): is it none of those that are there from the start?
static int l_is_own_global(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, BIND_FIRST_GLOBALS);
  lua_pushvalue(L, 1);
  lua_pushboolean(L, lua_rawget(L, -2) == LUA_TNIL);
  return 1;
}

static void push_use(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"progress", l_progress},
      {"progress_step", l_progress_step},
      {"memory_allowed", l_memory_allowed},
      {"is_own_global", l_is_own_global},
      {"raise", bind_l_raise},
      {"nearest", bind_l_nearest},
      {"is_array", array_l_is},
      {"npy_header", npy_l_header},
      {"value_text", bind_l_value_text},
      {"warn", bind_l_warn},
      {"guard", bind_l_guard},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lscale_open_bytes(L);
  lscale_open_workers(L);
  lh5_open_functions(L);
  lscale_open_cluster(L);
  static const char *const libraries[] = {"np", "cuda", "frame"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    lua_getglobal(L, libraries[i]);
    lua_setfield(L, -2, libraries[i]);
  }
  lua_pushstring(L, WARPSHOP_VERSION);
  lua_setfield(L, -2, "version");
  bind_make_use(L, "lua/scale", "shared/");
}

// Fills the table at index 1, which is `scale`.
static int load(lua_State *L) {
  push_use(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "scale");
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  return 0;
}

void lscale_open(lua_State *L) {
  bind_push_library(L, load);
  lua_setglobal(L, "scale");
}

// ---- In a worker ----

enum { WORKER_FD = 3 };

// What a file gives that works for another process.
static void push_working(lua_State *L, const char *file) {
  push_use(L);
  lua_newtable(L);
  lua_setfield(L, -2, "scale");
  lua_pushstring(L, file);
  lua_call(L, 1, 1);
}

void lscale_push_guest(lua_State *L) {
  push_working(L, "guest");
}

static int run_worker(lua_State *L) {
  push_working(L, "worker"); // [the function that works]
  lscale_push_channel(L, WORKER_FD);
  lua_call(L, 1, 0);
  return 0;
}

int lscale_work(lua_State *L) {
  signal(SIGINT, SIG_IGN); // Ctrl-C is for whoever sits at the terminal
  lua_pushcfunction(L, run_worker);
  if (!bind_pcall(L, 0, 0))
    return 0;
  fprintf(stderr, "warpshop: a worker ended: %s\n",
          luaL_tolstring(L, -1, NULL));
  return 1;
}

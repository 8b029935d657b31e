// SPDX-License-Identifier: Apache-2.0
// A cluster's nodes for scale.cluster: the command that starts a file of ours in
// Python on them, and how the wait for them stands.
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "lua/bind/scale/l_scale.h"

#define CLUSTER_TYPE "scale.cluster"

struct cluster {
  struct bind_far_device there; // context NULL: there is none
  const struct bind_far *far;
  char *words[4]; // Python, the file, its argument, NULL
};

static int l_close(lua_State *L) {
  struct cluster *c = luaL_checkudata(L, 1, CLUSTER_TYPE);
  if (c->there.context)
    c->far->close(c->there.context);
  c->there.context = NULL;
  for (int i = 0; c->words[i]; i++) {
    free(c->words[i]);
    c->words[i] = NULL;
  }
  return 0;
}

// words(): of the command, as a list.
static int l_words(lua_State *L) {
  struct cluster *c = luaL_checkudata(L, 1, CLUSTER_TYPE);
  lua_newtable(L);
  for (int i = 0; c->there.context && c->there.command[i]; i++) {
    lua_pushstring(L, c->there.command[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

// say(is_over): how the wait stands.
static int l_say(lua_State *L) {
  struct cluster *c = luaL_checkudata(L, 1, CLUSTER_TYPE);
  char text[256] = "";
  if (!lua_toboolean(L, 2) && c->there.context) {
    c->far->say_wait(c->there.context, text, sizeof text);
    log_say(LOG_STATUS, "scale.cluster (Ctrl-C ends this): %s", text);
  } else {
    log_say(LOG_STATUS, "%s", "");
  }
  return 0;
}

static struct cluster *push_cluster(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"words", l_words}, {"say", l_say}, {"close", l_close}, {NULL, NULL}};
  struct cluster *c = lua_newuserdatauv(L, sizeof *c, 0);
  *c = (struct cluster){.far = bind_state_of(L)->options.far};
  if (luaL_newmetatable(L, CLUSTER_TYPE)) {
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, l_close);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return c;
}

// open_cluster(wish, tasks, has_gpus, file, argument): so many tasks of Python with the
// file, each with a GPU.
static int l_open(lua_State *L) {
  struct err_info e = {0};
  const char *wish = luaL_checkstring(L, 1);
  int tasks = (int)luaL_checkinteger(L, 2);
  const char *file = luaL_checkstring(L, 4), *more = luaL_checkstring(L, 5);
  struct cluster *c = push_cluster(L);
  if (!c->far)
    bind_error(
        L, ERR_UNSUPPORTED,
        "cluster: Slurm is for the program warpshop, and this is another "
        "program: scale.connect reaches a scheduler that runs");
  c->words[0] = file_python();
  c->words[1] = file_own(file);
  if (!c->words[1])
    bind_error(L, ERR_IO, "scale: %s did not come with this program", file);
  c->words[2] = xstrdup(more);
  enum err err =
      c->far->open_tasks(wish, tasks, lua_toboolean(L, 3),
                         (const char *const *)c->words, &c->there, &e);
  if (err)
    bind_error(L, err, "cluster: %s", e.text);
  return 1;
}

void lscale_open_cluster(lua_State *L) {
  static const luaL_Reg functions[] = {{"open_cluster", l_open}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

// SPDX-License-Identifier: Apache-2.0
// :access [LINE] [LAUNCH]: pictures of a launch, from what the virtual GPU
// recorded of it. Without a launch, the last one runs again on copies of its
// arrays, once: what was recorded of it is kept until there is another.
#include <ctype.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/cuda/cuda.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/picture/picture.h"
#include "repl/tui/tui.h"

// ---- What was recorded ----

static const char kept_key = 0; // of the registry: {launch, counts}

// Pushes the number of the last launch.
static void push_last(lua_State *L) {
  shop_push_field(L, "cuda", "last_launch");
  lua_call(L, 0, 1);
  if (lua_istable(L, -1))
    lua_getfield(L, -1, "number");
  else
    lua_pushinteger(L, 0);
  lua_remove(L, -2);
}

// [function or nil] -> counts with requests
static int record(lua_State *L) {
  lua_settop(L, 1);
  push_last(L); // [function, last]
  if (lua_isnil(L, 1) &&
      lua_rawgetp(L, LUA_REGISTRYINDEX, &kept_key) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    if (lua_compare(L, -1, 2, LUA_OPEQ)) {
      lua_rawgeti(L, -2, 2);
      return 1;
    }
  }
  lua_settop(L, 1);
  shop_push_field(L, "cuda", "profile"); // [function, profile]
  lua_pushvalue(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushboolean(L, true);
  lua_setfield(L, -2, "requests");
  lua_call(L, 2, 1); // [function, counts]
  lua_createtable(L, 2, 0);
  push_last(L);
  lua_rawseti(L, -2, 1);
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, 2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
  return 1;
}

// Pushes the counts of what `expression` launches, of the last launch without one;
// NULL where that failed, and it was said.
static const struct lrequests *
record_launch(struct shop *s, const char *expression, const char *name) {
  lua_State *L = s->L;
  int status = LUA_OK;
  bool is_unfinished;
  s->is_one_line = true;
  if (*expression)
    status = input_compile(L, expression, name, &is_unfinished);
  else
    lua_pushnil(L);
  if (status == LUA_OK) {
    lua_pushcfunction(L, record);
    lua_insert(L, -2);
    terminal_catch_interrupts(true);
    status = bind_pcall(L, 1, 1);
    terminal_catch_interrupts(false);
  }
  if (status != LUA_OK) {
    eval_show_error(s);
    return NULL;
  }
  const struct lrequests *r = lcuda_requests_at(L, lua_gettop(L));
  if (!r) {
    lua_pop(L, 1);
    shop_warn(s, "No kernel was launched: give a launch, such as "
                 "k[{grid, block}](...).");
  }
  return r;
}

static struct picture_place place_of(const struct shop *s) {
  const char *plain = getenv("WARPSHOP_PLAIN");
  return (struct picture_place){.columns = s->screen.columns,
                                .is_plain =
                                    plain && *plain && strcmp(plain, "0") != 0};
}

// ---- :access ----

static bool is_name(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

bool command_access(struct shop *s, const char *args_text) {
  char *rest;
  long line = strtol(args_text, &rest, 10);
  const char *launch = rest + strspn(rest, " ");
  bool is_line = rest > args_text && (!*launch || is_name(*launch));
  launch = is_line ? launch : args_text;
  if (is_line && line < 1) {
    shop_warn(s, "Lines are numbered from 1: :access lists those that reach "
                 "memory.");
    return false;
  }
  const struct lrequests *r = record_launch(s, launch, "=:access");
  if (!r)
    return false;
  struct str out = STR_INIT;
  const struct gpu_line_counts *lines;
  const struct gpu_counts *counts =
      lcuda_counts_at(s->L, lua_gettop(s->L), &lines);
  struct picture_place place = place_of(s);
  bool is_there =
      picture_access(r, counts, lines, is_line ? (int)line : 0, &place, &out);
  if (is_there)
    shop_print(s, "%s", out.data);
  else
    shop_warn(s, "%s", out.data);
  str_free(&out);
  lua_pop(s->L, 1);
  return is_there;
}

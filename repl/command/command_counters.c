// SPDX-License-Identifier: Apache-2.0
// :counters [LAUNCH] and :lines [LAUNCH]: what launches did, counted on the
// virtual GPU. Without a launch, the last one is counted again on copies of its
// arrays.
#include <lauxlib.h>

#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

// [function or nil, method, columns]: counts; what is to be printed.
static int count(lua_State *L) {
  shop_push_field(L, "cuda", "profile");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1); // [function, method, columns, counts]
  lua_getfield(L, -1, lua_tostring(L, 2));
  lua_insert(L, -2);
  lua_pushvalue(L, 3);
  lua_call(L, 2, 1);
  return 1;
}

static int last_launch(lua_State *L) {
  shop_push_field(L, "cuda", "last_launch");
  lua_call(L, 0, 1);
  return 1;
}

static bool has_launch(lua_State *L) {
  lua_pushcfunction(L, last_launch);
  bool is_none = bind_pcall(L, 0, 1) == LUA_OK && lua_isnil(L, -1);
  lua_pop(L, 1);
  return !is_none;
}

int command_push_launch(struct shop *s, const char *expression,
                        const char *name) {
  bool is_unfinished;
  s->is_one_line = true;
  if (*expression)
    return bind_compile(s->L, expression, name, &is_unfinished);
  if (!has_launch(s->L)) {
    shop_warn(s,
              "Nothing was launched yet: give a launch, such as %s "
              "k[{grid, block}](x).",
              name + 1);
    return COMMAND_NO_LAUNCH;
  }
  lua_pushnil(s->L);
  return LUA_OK;
}

static bool show(struct shop *s, const char *expression, const char *name,
                 const char *method) {
  lua_State *L = s->L;
  int status = command_push_launch(s, expression, name);
  if (status == COMMAND_NO_LAUNCH)
    return false;
  if (status == LUA_OK) {
    lua_pushcfunction(L, count);
    lua_insert(L, -2);
    lua_pushstring(L, method);
    lua_pushinteger(L, s->screen.columns);
    terminal_catch_interrupts(true);
    status = bind_pcall(L, 3, 1);
    terminal_catch_interrupts(false);
  }
  if (status != LUA_OK) {
    eval_show_error(s);
    return false;
  }
  shop_report(s, lua_tostring(L, -1));
  lua_pop(L, 1);
  return true;
}

bool command_counters(struct shop *s, const char *args_text) {
  return show(s, args_text, "=:counters", "table");
}

bool command_lines(struct shop *s, const char *args_text) {
  return show(s, args_text, "=:lines", "listing");
}

// SPDX-License-Identifier: Apache-2.0
// A launch under the debugger. cuda.debug runs it and calls back at every stop; the
// commands are the back end's and a few about the screen (words.c).

#include <lauxlib.h>

#include "base/str.h"
#include "lua/bind/state/bind.h"
#include "repl/debugger/debugger.h"
#include "repl/debugger/screen.h"
#include "repl/debugger/session.h"
#include "repl/debugger/text.h"
#include "repl/eval/eval.h"

// [stop]: commands until the person leaves. The answer tells cuda.debug.
static int on_stop(lua_State *L) {
  struct debugging *d = lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 1);
  terminal_catch_interrupts(false);
  if (!debugger_screen(d, L))
    debugger_prompt(d, L);
  d->was_given_up = !d->has_ended;
  terminal_catch_interrupts(true);
  lua_pushstring(L, "quit");
  return 1;
}

// [function, debugging]
static int debug_body(lua_State *L) {
  struct debugging *d = lua_touserdata(L, 2);
  shop_push_field(L, "cuda", "debug");
  lua_pushvalue(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, on_stop, 1);
  lua_setfield(L, -2, "on_stop");
  lua_call(L, 2, 1);
  if (lua_tointeger(L, -1) == 0)
    shop_print(d->shop, "nothing was launched");
  return 0;
}

bool debugger_run(struct shop *s, const char *launch) {
  lua_State *L = s->L;
  bool is_unfinished;
  struct debugging d = {.shop = s};
  if (str_starts(bind_device_id(L), "cuda"))
    shop_print(s, "Stepped on the virtual GPU, on copies of the arrays; the "
                  "launch itself follows.");
  s->is_one_line = true;
  int status = bind_compile(L, launch, "=:debug", &is_unfinished);
  if (status == LUA_OK) {
    lua_pushcfunction(L, debug_body);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, &d);
    terminal_catch_interrupts(true);
    terminal_enter_debug(true);
    status = bind_pcall(L, 2, 0);
    terminal_enter_debug(false);
    terminal_catch_interrupts(false);
    debugger_undisplay(&d, "");
  }
  if (status != LUA_OK)
    eval_show_error(s);
  else if (d.was_given_up)
    shop_print(s, "The launch was given up: its arrays are as they were.");
  return status == LUA_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Opening Lua for the program, and its globals.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory_left.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

const char *const shop_modules[] = {"np",    "jnp", "jax",   "cuda",
                                    "frame", "h5",  "ml",    "scale", NULL};

// A reader that left (warpshop ... | head) ends the program quietly, as
// SIGPIPE would.
static void check_stdout(void) {
  if (fflush(stdout) && errno == EPIPE)
    _exit(128 + SIGPIPE);
}

static void print_text(void *context, const char *text, size_t bytes) {
  const struct shop *s = context;
  if (s->mode.is_quiet)
    return;
  fwrite(text, 1, bytes, stdout);
  check_stdout();
}

int shop_open_lua(struct shop *s) {
  struct err_info e = {0};
  struct bind_options options = {
      .device = s->device,
      .deadline_s = s->deadline_s,
      .print = print_text,
      .context = s,
      // A text that grows for ever ends with an error, not with the machine.
      .memory_cap_bytes = (size_t)(memory_total() / 2),
      .far = &eval_far,
  };
  s->L = bind_new(&options, &e);
  if (s->L)
    return EXIT_PASSED;
  shop_say("%s", e.text);
  return e.code == ERR_ARGUMENT ? EXIT_USAGE : EXIT_MACHINE;
}

// Raw, for the globals may have a metatable that raises.
int shop_push_field(lua_State *L, const char *table, const char *field) {
  lua_pushglobaltable(L);
  lua_pushstring(L, table);
  if (lua_rawget(L, -2) == LUA_TTABLE) {
    lua_pushstring(L, field);
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
  lua_replace(L, -3); // [field, table]
  lua_pop(L, 1);
  return lua_type(L, -1);
}

bool shop_is_own_global(lua_State *L, const char *name) {
  if (values_is_name(name)) // the prompt's own
    return false;
  int top = lua_gettop(L);
  bool is_first =
      lua_getfield(L, LUA_REGISTRYINDEX, BIND_FIRST_GLOBALS) == LUA_TTABLE &&
      lua_getfield(L, -1, name) != LUA_TNIL;
  lua_settop(L, top);
  return !is_first;
}

// SPDX-License-Identifier: Apache-2.0
// :floors F(ARGUMENTS) and :why F, for functions of jax.
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

// [function that gives a text, columns] -> [text]; protected.
static int make_text(lua_State *L) {
  lua_call(L, 1, 1);
  luaL_tolstring(L, -1, NULL);
  return 1;
}

// Runs `source`, which gives a text, on the screen's columns.
static bool show(struct shop *s, const char *source, const char *name) {
  lua_State *L = s->L;
  bool is_unfinished;
  s->is_one_line = true;
  int status = bind_compile(L, source, name, &is_unfinished);
  if (status == LUA_OK) {
    lua_pushcfunction(L, make_text);
    lua_insert(L, -2);
    lua_pushinteger(L, s->screen.columns);
    terminal_catch_interrupts(true);
    status = bind_pcall(L, 2, 1);
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

// Where the last pair of parentheses of a call opens, or NULL.
static const char *last_open(const char *text) {
  size_t n = strlen(text);
  int depth = 0;
  while (n && strchr(" \t", text[n - 1]))
    n--;
  if (!n || text[n - 1] != ')')
    return NULL;
  while (n-- > 0) {
    depth += (text[n] == ')') - (text[n] == '(');
    if (depth == 0)
      return text + n;
  }
  return NULL;
}

bool command_floors(struct shop *s, const char *args_text) {
  const char *open = last_open(args_text);
  if (!open || open == args_text) {
    shop_warn(s, "A call is needed, which is not made: :floors f(x)");
    return false;
  }
  const char *rest = open + 1;
  bool is_bare = rest[strspn(rest, " \t")] == ')';
  char *source =
      xasprintf("jax.lower(%.*s%s %s:floors(...)", (int)(open - args_text),
                args_text, is_bare ? "" : ",", rest);
  bool fine = show(s, source, "=:floors");
  free(source);
  return fine;
}

bool command_why(struct shop *s, const char *args_text) {
  if (!*args_text) {
    shop_warn(s, "A jitted function is needed: :why f");
    return false;
  }
  char *source = xasprintf("jax.why(%s)", args_text);
  bool fine = show(s, source, "=:why");
  free(source);
  return fine;
}

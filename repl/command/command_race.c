// SPDX-License-Identifier: Apache-2.0
// :race: both threads of the race that was found last, by a launch or by :check.
#include <lua.h>

#include "repl/command/command.h"
#include "repl/command/race.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

enum { USUAL_COLUMNS = 80, MOST_COLUMNS = 120 };

// ---- From the table that eval_push_last_race has, at index `at` ----

// Raw: a learner may have made the table.
static int push_raw(lua_State *L, int at, const char *name) {
  lua_pushstring(L, name);
  return lua_rawget(L, at);
}

static const char *text_of(lua_State *L, int at, const char *name) {
  bool is_text = push_raw(L, at, name) == LUA_TSTRING;
  const char *text = is_text ? lua_tostring(L, -1) : "";
  lua_pop(L, 1); // the table keeps it
  return text;
}

static int number_of(lua_State *L, int at, const char *name, int otherwise) {
  push_raw(L, at, name);
  int n = lua_isinteger(L, -1) ? (int)lua_tointeger(L, -1) : otherwise;
  lua_pop(L, 1);
  return n;
}

static void read_triple(lua_State *L, int at, const char *name,
                        uint32_t out[3]) {
  bool is_table = push_raw(L, at, name) == LUA_TTABLE;
  for (int i = 0; is_table && i < 3; i++) {
    lua_rawgeti(L, -1, i + 1);
    out[i] = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static struct race_side read_side(lua_State *L, int at) {
  struct race_side s = {.line = number_of(L, at, "line", 0),
                        .text = text_of(L, at, "text"),
                        .access = text_of(L, at, "access"),
                        .value = text_of(L, at, "value"),
                        .warp = number_of(L, at, "warp", -1)};
  read_triple(L, at, "block", s.block);
  read_triple(L, at, "thread", s.thread);
  return s;
}

static void print_race(struct shop *s, lua_State *L) {
  int at = lua_gettop(L);
  struct race r = {.file = text_of(L, at, "file"),
                   .function = text_of(L, at, "function"),
                   .cell = text_of(L, at, "cell"),
                   .space = text_of(L, at, "space"),
                   .why = text_of(L, at, "explain"),
                   .interval = number_of(L, at, "interval", 0),
                   .first = number_of(L, at, "first", 0),
                   .is_ascii = s->screen.is_ascii,
                   .side = {read_side(L, at)}};
  push_raw(L, at, "other"); // a table: eval_keep_race
  r.side[1] = read_side(L, at + 1);
  int columns = s->screen.is_terminal ? s->screen.columns : USUAL_COLUMNS;
  columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
  struct str text = STR_INIT;
  // A line is cut where the terminal's last column is used.
  race_add(&text, &r, s->screen.is_plain ? 0 : columns - 1);
  // One text: a small window has it a screen at a time.
  str_add(&text, message("Write :debug before the launch: continue stops at "
                         "the race, and print shows what each thread has."));
  shop_print(s, "%s", text.data);
  str_free(&text);
  lua_pop(L, 1);
}

bool command_race(struct shop *s, const char *args_text) {
  lua_State *L = s->L;
  (void)args_text;
  if (s->screen.is_terminal)
    screen_measure(&s->screen);
  eval_push_last_race(s);
  bool is_there = lua_istable(L, -1);
  if (is_there)
    print_race(s, L);
  else
    shop_warn(s, "No race was found yet. A launch on the virtual GPU (:device "
                 "virtual:0) and :check look for one; then :race shows both "
                 "threads.");
  lua_pop(L, 1);
  return is_there;
}

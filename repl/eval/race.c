// SPDX-License-Identifier: Apache-2.0
// The race that was found last, kept for :race.
#include "repl/eval/eval.h"

#include <string.h>

#define LAST_RACE "warpshop.last_race"

static bool is_of_two(lua_State *L, int at) {
  if (!lua_istable(L, at))
    return false;
  lua_pushliteral(L, "kind");
  const char *kind =
      lua_rawget(L, at) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  bool is_race = !strcmp(kind, "race");
  lua_pushliteral(L, "other");
  is_race &= lua_rawget(L, at) == LUA_TTABLE;
  lua_pop(L, 2);
  return is_race;
}

void eval_keep_race(struct shop *s) {
  lua_State *L = s->L;
  if (!is_of_two(L, lua_gettop(L)))
    return;
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, LAST_RACE);
}

void eval_push_last_race(struct shop *s) {
  lua_getfield(s->L, LUA_REGISTRYINDEX, LAST_RACE);
}

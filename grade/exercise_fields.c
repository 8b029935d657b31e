// SPDX-License-Identifier: Apache-2.0
// Fields of an exercise's description, each checked as it is read.
#include "grade/exercise_fields.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

void fields_fault(struct fields *l, const char *fmt, ...) {
  char text[512];
  va_list ap;
  if (l->err)
    return;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  l->err =
      err_set(l->e, ERR_ARGUMENT, "%s/exercise.lua: %s", l->ex->folder, text);
}

char *fields_string(struct fields *l, const char *key, const char *fallback) {
  const char *text = fallback;
  if (lua_getfield(l->L, -1, key) == LUA_TSTRING)
    text = lua_tostring(l->L, -1);
  else if (!fallback || !lua_isnil(l->L, -1))
    fields_fault(l, "%s must be a text", key);
  char *copy = xstrdup(text ? text : "");
  lua_pop(l->L, 1);
  return copy;
}

double fields_number(struct fields *l, const char *key, double fallback,
                     double least) {
  double value = fallback;
  int type = lua_getfield(l->L, -1, key);
  if (type == LUA_TNUMBER)
    value = lua_tonumber(l->L, -1);
  else if (type != LUA_TNIL)
    fields_fault(l, "%s must be a number", key);
  lua_pop(l->L, 1);
  if (!(value >= least))
    fields_fault(l, "%s must be at least %g", key, least);
  return value;
}

bool fields_flag(struct fields *l, const char *key) {
  lua_getfield(l->L, -1, key);
  bool value = lua_toboolean(l->L, -1);
  lua_pop(l->L, 1);
  return value;
}

int fields_list(struct fields *l, const char *key, int least, int most) {
  if (lua_getfield(l->L, -1, key) != LUA_TTABLE) {
    if (!lua_isnil(l->L, -1))
      fields_fault(l, "%s must be a list", key);
    lua_pop(l->L, 1);
    lua_newtable(l->L);
  }
  int count = (int)lua_rawlen(l->L, -1);
  if (count < least || count > most)
    fields_fault(l, "%s has %d entries; %d to %d are needed", key, count, least,
                 most);
  return l->err ? 0 : count;
}

char **fields_strings(struct fields *l, const char *key, int least, int most,
                      int *count) {
  *count = fields_list(l, key, least, most);
  char **list = xcalloc((size_t)*count + 1, sizeof *list);
  for (int i = 0; i < *count; i++) {
    if (lua_rawgeti(l->L, -1, i + 1) != LUA_TSTRING)
      fields_fault(l, "%s[%d] must be a text", key, i + 1);
    const char *text = lua_tostring(l->L, -1);
    list[i] = xstrdup(text ? text : "");
    lua_pop(l->L, 1);
  }
  lua_pop(l->L, 1);
  return list;
}

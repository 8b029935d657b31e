// SPDX-License-Identifier: Apache-2.0
// Fields of an exercise's description, each checked as it is read.
#include "grade/exercise/exercise_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/exercise/lua_keys.h"

// At a line of exercise.lua; 0: nobody knows which.
static void fault_at(struct fields *l, int line, const char *text) {
  char place[16] = "";
  if (l->err)
    return;
  if (line)
    snprintf(place, sizeof place, ":%d", line);
  l->err = err_set(l->e, ERR_ARGUMENT, "%s/exercise.lua%s: %s", l->ex->folder,
                   place, text);
}

// Where a text stands that the sentence quotes, as a text of its own.
static int line_of_quoted(const char *source, const char *sentence) {
  for (const char *at = strchr(sentence, '"'); at; at = strchr(at, '"')) {
    const char *end = strchr(at + 1, '"');
    if (!end)
      return 0;
    char *quoted = xstrndup(at, (size_t)(end + 1 - at));
    const char *found = end > at + 1 ? strstr(source, quoted) : NULL;
    quoted[0] = quoted[end - at] = '\'';
    if (!found && end > at + 1)
      found = strstr(source, quoted);
    free(quoted);
    if (found) {
      int line = 1;
      for (const char *c = source; c < found; c++)
        line += *c == '\n';
      return line;
    }
    at = end + 1;
  }
  return 0;
}

// The line of the field that the sentence begins with: "requires: ...".
static int line_of_field(const char *source, const char *sentence) {
  size_t n = strspn(sentence, "abcdefghijklmnopqrstuvwxyz_");
  if (!n || (sentence[n] != ':' && sentence[n] != '['))
    return 0;
  char *key = xstrndup(sentence, n);
  int line = lua_key_line(source, key, 1);
  free(key);
  return line;
}

void fields_fault(struct fields *l, const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  int line = l->text ? line_of_quoted(l->text, text) : 0;
  if (!line && l->text)
    line = line_of_field(l->text, text);
  fault_at(l, line, text);
}

void fields_fault_of(struct fields *l, const char *key, const char *fmt, ...) {
  char text[512];
  bool is_outer = lua_gettop(l->L) <= 2; // [description, value]
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  fault_at(l, is_outer ? lua_key_line(l->text, key, 1) : 0, text);
}

void fields_check(struct fields *l, enum field_table table) {
  char *why;
  int line;
  if (!l->err &&
      unknown_field(l->L, table, l->ex->kind, l->text, &why, &line)) {
    fault_at(l, line, why);
    free(why);
  }
}

char *fields_string(struct fields *l, const char *key, const char *fallback) {
  const char *text = fallback;
  if (lua_getfield(l->L, -1, key) == LUA_TSTRING)
    text = lua_tostring(l->L, -1);
  else if (!fallback || !lua_isnil(l->L, -1))
    fields_fault_of(l, key, "%s must be a text", key);
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
    fields_fault_of(l, key, "%s must be a number", key);
  lua_pop(l->L, 1);
  if (!(value >= least))
    fields_fault_of(l, key, "%s must be at least %g", key, least);
  return value;
}

bool fields_flag(struct fields *l, const char *key) {
  int type = lua_getfield(l->L, -1, key);
  bool value = lua_toboolean(l->L, -1);
  if (type != LUA_TBOOLEAN && type != LUA_TNIL)
    fields_fault_of(l, key, "%s must be true or false", key);
  lua_pop(l->L, 1);
  return value;
}

int fields_list(struct fields *l, const char *key, int least, int most) {
  if (lua_getfield(l->L, -1, key) != LUA_TTABLE) {
    if (!lua_isnil(l->L, -1))
      fields_fault_of(l, key, "%s must be a list", key);
    lua_pop(l->L, 1);
    lua_newtable(l->L);
  }
  int count = (int)lua_rawlen(l->L, -1);
  if (count < least || count > most)
    fields_fault_of(l, key, "%s has %d entries; %d to %d are needed", key,
                    count, least, most);
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

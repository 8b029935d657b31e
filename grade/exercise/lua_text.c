// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/exercise/exercise.h"

enum { MAX_DEPTH = 8, MAX_KEYS = 1000 };

static bool add_value(struct str *out, lua_State *L, int depth);

static void add_text(struct str *out, const char *text, size_t bytes) {
  str_add_char(out, '"');
  for (size_t i = 0; i < bytes; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      str_addf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7F)
      str_addf(out, "\\%03u", c);
    else
      str_add_char(out, (char)c);
  }
  str_add_char(out, '"');
}

// With as many digits as bring the same number back.
static void add_fraction(struct str *out, double v) {
  size_t from = out->len;
  str_add_float(out, v, false);
  if (!strpbrk(out->data + from, ".e"))
    str_add(out, ".0");
}

static bool add_number(struct str *out, lua_State *L) {
  double v = lua_tonumber(L, -1);
  if (lua_isinteger(L, -1))
    str_addf(out, "%lld", (long long)lua_tointeger(L, -1));
  else if (isfinite(v))
    add_fraction(out, v);
  else if (isnan(v))
    str_add(out, "0/0");
  else
    str_add(out, v > 0 ? "1/0" : "-1/0");
  return true;
}

static bool is_name(const char *text) {
  static const char keywords[] = " and break do else elseif end false for "
                                 "function goto if in local nil not "
                                 "or repeat return then true until while ";
  char word[64];
  size_t n = strlen(text);
  if (!n || n > 60 || isdigit((unsigned char)*text))
    return false;
  for (const char *p = text; *p; p++)
    if (!isalnum((unsigned char)*p) && *p != '_')
      return false;
  snprintf(word, sizeof word, " %s ", text);
  return !strstr(keywords, word);
}

static int by_letters(const void *a, const void *b) {
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  int name_first = !strcmp(y, "name") - !strcmp(x, "name");
  return name_first ? name_first : strcmp(x, y);
}

// The keys that are texts; -1: there is one that is neither text nor in the list.
static int text_keys(lua_State *L, lua_Integer listed, const char **keys) {
  int count = 0;
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    if (lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 &&
        lua_tointeger(L, -2) <= listed)
      continue;
    if (lua_type(L, -2) != LUA_TSTRING || count == MAX_KEYS) {
      lua_pop(L, 2);
      return -1;
    }
    keys[count++] = lua_tostring(L, -2); // the table holds it
  }
  qsort(keys, (size_t)count, sizeof *keys, by_letters);
  return count;
}

static bool add_table(struct str *out, lua_State *L, int depth) {
  lua_Integer listed = (lua_Integer)lua_rawlen(L, -1);
  const char **keys = xcalloc(MAX_KEYS, sizeof *keys);
  int count = text_keys(L, listed, keys);
  bool is_told = count >= 0 && depth < MAX_DEPTH;
  str_add_char(out, '{');
  for (lua_Integer i = 1; i <= listed && is_told; i++) {
    str_add(out, i > 1 ? ", " : "");
    lua_rawgeti(L, -1, i);
    is_told = add_value(out, L, depth + 1);
    lua_pop(L, 1);
  }
  for (int i = 0; i < count && is_told; i++) {
    str_add(out, i || listed ? ", " : "");
    if (is_name(keys[i])) {
      str_add(out, keys[i]);
    } else {
      str_add_char(out, '[');
      add_text(out, keys[i], strlen(keys[i]));
      str_add_char(out, ']');
    }
    str_add(out, " = ");
    lua_pushstring(L, keys[i]);
    lua_rawget(L, -2);
    is_told = add_value(out, L, depth + 1);
    lua_pop(L, 1);
  }
  str_add_char(out, '}');
  free(keys);
  return is_told;
}

// That on top.
static bool add_value(struct str *out, lua_State *L, int depth) {
  size_t bytes;
  switch (lua_type(L, -1)) {
  case LUA_TNIL: str_add(out, "nil"); return true;
  case LUA_TBOOLEAN:
    str_add(out, lua_toboolean(L, -1) ? "true" : "false");
    return true;
  case LUA_TNUMBER: return add_number(out, L);
  case LUA_TSTRING: {
    const char *text = lua_tolstring(L, -1, &bytes);
    add_text(out, text, bytes);
    return true;
  }
  case LUA_TTABLE: return add_table(out, L, depth);
  default: return false;
  }
}

bool exercise_add_text(struct str *out, lua_State *L, int index) {
  if (!lua_checkstack(L, 4 * MAX_DEPTH))
    return false;
  lua_pushvalue(L, index);
  bool is_told = add_value(out, L, 0);
  lua_pop(L, 1);
  return is_told;
}

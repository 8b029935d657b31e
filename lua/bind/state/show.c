// SPDX-License-Identifier: Apache-2.0
// Values as the prompt and print show them.
#include "lua/bind/state/bind.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_DEPTH = 5, MAX_ENTRIES = 24, MAX_TEXT = 4000, STEP = 2 };

struct show {
  lua_State *L;
  struct str *out;
  int columns; // 0: everything on one line
  const void *above[MAX_DEPTH];
  int depth;
};

static void show_any(struct show *s, int i);

// ---- Leaves ----

static void show_quoted(struct show *s, const char *text, size_t n) {
  str_add_char(s->out, '"');
  for (size_t i = 0; i < n && i < MAX_TEXT; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      str_addf(s->out, "\\%c", c);
    else if (c == '\n')
      str_add(s->out, "\\n");
    else if (c < 32 || c == 127)
      str_addf(s->out, "\\%d", c);
    else
      str_add_char(s->out, (char)c);
  }
  str_add(s->out, n > MAX_TEXT ? "\"..." : "\"");
}

static void show_function(struct show *s, int i) {
  lua_Debug ar;
  lua_pushvalue(s->L, i);
  lua_getinfo(s->L, ">S", &ar);
  if (!strcmp(ar.what, "C") || !strncmp(ar.source, "=[warpshop]", 11))
    str_add(s->out, "function (built in)");
  else
    str_addf(s->out, "function (%s:%d)", ar.short_src, ar.linedefined);
}

// With as many digits as the number has: 0.1, and 3.141592653589793. Lua's own
// text, of 14 digits, where that is enough.
static void show_number(struct show *s, int i) {
  double v = lua_tonumber(s->L, i);
  const char *text = luaL_tolstring(s->L, i, NULL);
  if (!lua_isinteger(s->L, i) && v != v)
    str_add(s->out, "nan");
  else if (!lua_isinteger(s->L, i) && strtod(text, NULL) != v)
    str_add_float(s->out, v, false);
  else
    str_add(s->out, text);
  lua_pop(s->L, 1);
}

static void show_tostring(struct show *s, int i) {
  size_t n;
  const char *text = luaL_tolstring(s->L, i, &n);
  str_add_bytes(s->out, text, n);
  lua_pop(s->L, 1);
}

// ---- Tables ----

static bool has_tostring(lua_State *L, int i) {
  if (luaL_getmetafield(L, i, "__tostring") == LUA_TNIL)
    return false;
  lua_pop(L, 1);
  return true;
}

static bool is_name(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_')
    return false;
  while (isalnum((unsigned char)*text) || *text == '_')
    text++;
  return !*text;
}

static void show_key(struct show *s, int i) {
  if (lua_type(s->L, i) == LUA_TSTRING && is_name(lua_tostring(s->L, i))) {
    str_add(s->out, lua_tostring(s->L, i));
  } else {
    str_add_char(s->out, '[');
    show_any(s, i);
    str_add_char(s->out, ']');
  }
  str_add(s->out, " = ");
}

static void start_entry(struct show *s, int *count) {
  if ((*count)++)
    str_add_char(s->out, ',');
  if (s->columns)
    str_addf(s->out, "\n%*s", s->depth * STEP, "");
  else if (*count > 1)
    str_add_char(s->out, ' ');
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// The string keys in order. They are copied: showing a value may run Lua, which
// may move strings.
static int string_keys(lua_State *L, int i, char ***names) {
  int n = 0;
  *names = NULL;
  lua_pushnil(L);
  while (lua_next(L, i)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      continue;
    *names = xrealloc(*names, (size_t)(n + 1) * sizeof **names);
    (*names)[n++] = xstrdup(lua_tostring(L, -1));
  }
  if (n)
    qsort(*names, (size_t)n, sizeof **names, compare_names);
  return n;
}

static void show_named(struct show *s, int i, int *count, int *more) {
  char **names;
  int n = string_keys(s->L, i, &names);
  for (int k = 0; k < n; k++) {
    if (*count < MAX_ENTRIES) {
      start_entry(s, count);
      lua_pushstring(s->L, names[k]);
      show_key(s, lua_gettop(s->L));
      lua_rawget(s->L, i);
      show_any(s, lua_gettop(s->L));
      lua_pop(s->L, 1);
    } else {
      ++*more;
    }
    free(names[k]);
  }
  free(names);
}

// Keys that are neither in the list part nor strings.
static void show_others(struct show *s, int i, lua_Integer length, int *count,
                        int *more) {
  lua_State *L = s->L;
  lua_pushnil(L);
  while (lua_next(L, i)) { // [key, value]
    bool in_list = lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 &&
                   lua_tointeger(L, -2) <= length;
    if (!in_list && lua_type(L, -2) != LUA_TSTRING) {
      if (*count < MAX_ENTRIES) {
        start_entry(s, count);
        lua_pushvalue(L, -2);
        show_key(s, lua_gettop(L));
        lua_pop(L, 1);
        show_any(s, lua_gettop(L));
      } else {
        ++*more;
      }
    }
    lua_pop(L, 1);
  }
}

static void show_entries(struct show *s, int i) {
  lua_Integer length = (lua_Integer)lua_rawlen(s->L, i);
  int count = 0, more = 0;
  for (lua_Integer k = 1; k <= length && k <= MAX_ENTRIES; k++) {
    start_entry(s, &count);
    lua_rawgeti(s->L, i, k);
    show_any(s, lua_gettop(s->L));
    lua_pop(s->L, 1);
  }
  if (length > MAX_ENTRIES)
    more += (int)(length - MAX_ENTRIES);
  show_named(s, i, &count, &more);
  show_others(s, i, length, &count, &more);
  if (more) {
    start_entry(s, &count);
    str_addf(s->out, "... %d more", more);
  }
}

static bool is_above(const struct show *s, const void *table) {
  for (int k = 0; k < s->depth; k++)
    if (s->above[k] == table)
      return true;
  return false;
}

static void show_table_at(struct show *s, int i) {
  if (is_above(s, lua_topointer(s->L, i))) {
    str_add(s->out, "{the table itself}");
    return;
  }
  if (s->depth == MAX_DEPTH) {
    str_add(s->out, "{...}");
    return;
  }
  s->above[s->depth++] = lua_topointer(s->L, i);
  str_add_char(s->out, '{');
  size_t inside = s->out->len;
  show_entries(s, i);
  s->depth--;
  bool is_empty = s->out->len == inside;
  if (s->columns && !is_empty)
    str_addf(s->out, "\n%*s", s->depth * STEP, "");
  str_add_char(s->out, '}');
}

// On one line if it fits, else an entry a line.
static void show_table(struct show *s, int i) {
  if (s->columns) {
    struct str line = STR_INIT;
    struct show flat = *s;
    flat.out = &line;
    flat.columns = 0;
    show_table_at(&flat, i);
    bool fits = (int)line.len + s->depth * STEP < s->columns &&
                !memchr(line.data, '\n', line.len);
    if (fits)
      str_add_bytes(s->out, line.data, line.len);
    str_free(&line);
    if (fits)
      return;
  }
  show_table_at(s, i);
}

static void show_any(struct show *s, int i) {
  size_t n;
  const char *text;
  luaL_checkstack(s->L, 12, "value nested too deeply");
  if (lua_type(s->L, i) != LUA_TSTRING && has_tostring(s->L, i)) {
    show_tostring(s, i);
    return;
  }
  switch (lua_type(s->L, i)) {
  case LUA_TSTRING:
    text = lua_tolstring(s->L, i, &n);
    show_quoted(s, text, n);
    return;
  case LUA_TNUMBER: show_number(s, i); return;
  case LUA_TTABLE: show_table(s, i); return;
  case LUA_TFUNCTION: show_function(s, i); return;
  default: show_tostring(s, i);
  }
}

void show_value(lua_State *L, int i, int columns, struct str *out) {
  struct show s = {.L = L, .out = out, .columns = columns};
  i = lua_absindex(L, i);
  size_t n = 0;
  const char *text =
      lua_type(L, i) == LUA_TSTRING ? lua_tolstring(L, i, &n) : 0;
  // A text of several lines is meant to be read: PTX, a kernel's source.
  if (text && memchr(text, '\n', n))
    str_add_bytes(out, text, n);
  else
    show_any(&s, i);
}

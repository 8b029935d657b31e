// SPDX-License-Identifier: Apache-2.0
// Tab: commands after ":", files after ":load", and the names of Lua.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "base/mem.h"
#include "base/str.h"
#include "lua/bind/array.h"
#include "lua/bind/bind.h"
#include "repl/shop.h"

struct matches {
  char **list; // [0] is for Readline's common beginning
  int count;
};

static void add_match(struct matches *m, char *text) {
  m->list = xrealloc(m->list, (size_t)(m->count + 3) * sizeof *m->list);
  m->list[++m->count] = text;
}

static size_t common_bytes(const struct matches *m) {
  size_t n = strlen(m->list[1]);
  for (int i = 2; i <= m->count; i++) {
    size_t same = 0;
    while (same < n && m->list[i][same] == m->list[1][same])
      same++;
    n = same;
  }
  return n;
}

static char **finish(struct matches *m) {
  rl_completion_append_character = '\0';
  if (!m->count) {
    free(m->list);
    return NULL;
  }
  m->list[0] = xstrndup(m->list[1], common_bytes(m));
  m->list[m->count + 1] = NULL;
  return m->list;
}

// ---- Commands ----

static char **complete_command(const char *word) {
  struct matches m = {0};
  for (int i = 0; command_name(i); i++)
    if (str_starts(command_name(i), word + 1))
      add_match(&m, xasprintf(":%s", command_name(i)));
  return finish(&m);
}

// ---- Lua ----

// Adds "head" + key for every string key of the table on top of the stack.
static void add_keys(lua_State *L, struct matches *m, const char *head,
                     const char *tail) {
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      continue;
    const char *key = lua_tostring(L, -1);
    if (str_starts(key, tail) && !(str_starts(key, "__") && !*tail))
      add_match(m, xasprintf("%s%s", head, key));
  }
}

// Pushes the table whose keys may follow the value on top: its own, what its
// metatable looks in, or an array's methods or properties.
static void push_fields(lua_State *L, char separator) {
  if (array_test(L, -1)) {
    if (separator == ':')
      array_push_methods(L);
    else
      array_push_properties(L);
  } else if (lua_istable(L, -1)) {
    lua_pushvalue(L, -1);
  } else if (luaL_getmetafield(L, -1, "__index") == LUA_TNIL) {
    lua_pushnil(L);
  }
}

struct completion {
  const char *word;
  struct matches *m;
};

static int complete_protected(lua_State *L) {
  struct completion *c = lua_touserdata(L, 1);
  char *path = xstrdup(c->word), *rest = path, *part;
  lua_pushglobaltable(L);
  char separator = '.';
  while ((part = rest) && (rest = strpbrk(part, ".:"))) {
    separator = *rest;
    *rest++ = 0;
    lua_getfield(L, -1, part);
    push_fields(L, separator);
    if (!lua_istable(L, -1))
      break;
  }
  if (lua_istable(L, -1)) {
    char *head = xstrndup(c->word, (size_t)(part - path));
    add_keys(L, c->m, head, part);
    free(head);
  }
  free(path);
  return 0;
}

static char **complete_lua(struct shop *s, const char *word) {
  struct matches m = {0};
  struct completion c = {word, &m};
  lua_pushcfunction(s->L, complete_protected);
  lua_pushlightuserdata(s->L, &c);
  if (bind_pcall(s->L, 1, 0) != LUA_OK)
    lua_pop(s->L, 1);
  return finish(&m);
}

char **complete_line(struct shop *s, const char *line, int start, int end) {
  char *word = xstrndup(line + start, (size_t)(end - start));
  char **found = NULL;
  rl_attempted_completion_over = 1;
  if (start == 0 && *word == ':')
    found = complete_command(word);
  else if (str_starts(line, ":load ") || str_starts(line, ":!"))
    rl_attempted_completion_over = 0; // Readline completes file names
  else
    found = complete_lua(s, word);
  free(word);
  return found;
}

// The first word of a line of the debugger.
char **complete_debug(const char *line, int start, int end) {
  struct matches m = {0};
  rl_attempted_completion_over = 1;
  if (start > (int)strspn(line, " "))
    return NULL;
  char *word = xstrndup(line + start, (size_t)(end - start)), *found;
  for (int i = 0; (found = command_debug_complete(word, i)); i++)
    add_match(&m, found);
  free(word);
  return finish(&m);
}

// SPDX-License-Identifier: Apache-2.0
// Tab: commands after ":", files after ":load" and in quotes, and the names of
// Lua, also after "?".
#include "repl/prompt/complete.h"

#include <readline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"

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

// jax and jnp are filled when a field is first looked at, which takes a while.
static bool is_still_empty(lua_State *L) {
  if (!lua_istable(L, -1) || !lua_getmetatable(L, -1))
    return false;
  lua_pop(L, 1);
  lua_pushnil(L);
  if (!lua_next(L, -2))
    return true;
  lua_pop(L, 2);
  return false;
}

static bool has_match(const struct matches *m, const char *text, size_t n) {
  for (int i = 1; i <= m->count; i++)
    if (!strncmp(m->list[i], text, n) && !m->list[i][n])
      return true;
  return false;
}

// What has a help text, up to the next dot.
static void add_helped(lua_State *L, const struct completion *c) {
  size_t bytes = strlen(c->word);
  help_push_texts(L);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    const char *name =
        lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (!str_starts(name, c->word))
      continue;
    size_t n = bytes + strcspn(name + bytes, ".");
    if (!has_match(c->m, name, n))
      add_match(c->m, xstrndup(name, n));
  }
}

static int complete_protected(lua_State *L) {
  struct completion *c = lua_touserdata(L, 1);
  char *path = xstrdup(c->word), *rest = path, *part;
  lua_pushglobaltable(L);
  char separator = '.';
  while ((part = rest) && (rest = strpbrk(part, ".:"))) {
    separator = *rest;
    *rest++ = 0;
    lua_getfield(L, -1, part);
    if (is_still_empty(L)) {
      add_helped(L, c);
      break;
    }
    push_fields(L, separator);
    if (!lua_istable(L, -1))
      break;
  }
  if (!c->m->count && lua_istable(L, -1)) {
    char *head = xstrndup(c->word, (size_t)(part - path));
    add_keys(L, c->m, head, part);
    free(head);
  }
  free(path);
  return 0;
}

// `prefix` stands in front of the name: "?" or nothing.
static char **complete_lua(struct shop *s, const char *prefix,
                           const char *word) {
  struct matches m = {0};
  struct completion c = {word, &m};
  lua_pushcfunction(s->L, complete_protected);
  lua_pushlightuserdata(s->L, &c);
  if (bind_pcall(s->L, 1, 0) != LUA_OK)
    lua_pop(s->L, 1);
  for (int i = 1; *prefix && i <= m.count; i++) {
    char *name = m.list[i];
    m.list[i] = xasprintf("%s%s", prefix, name);
    free(name);
  }
  return finish(&m);
}

// A file's name stands behind these commands, and in an open text.
static bool is_file_name(const char *line, int at) {
  char quote = 0;
  if (str_starts(line, ":load ") || str_starts(line, ":save ") ||
      str_starts(line, ":!"))
    return true;
  for (int i = 0; i < at; i++)
    if (quote ? line[i] == quote : strchr("\"'", line[i]) != NULL)
      quote = quote ? 0 : line[i];
  return quote != 0;
}

// Readline reads what it gets here, though its type has no const.
char *complete_breaks(void) {
  static const char of_names[] = " \t\n\"'`@$><=;|&{}()[]+-*/%^#~,";
  static const char of_files[] = " \t\n\"'";
  return (char *)(is_file_name(rl_line_buffer, rl_point) ? of_files : of_names);
}

char **complete_line(struct shop *s, const char *line, int start, int end) {
  char *word = xstrndup(line + start, (size_t)(end - start));
  char **found = NULL;
  rl_attempted_completion_over = 1;
  if (start == 0 && *word == ':')
    found = complete_command(word);
  else if (start == 0 && *word == '?')
    found =
        complete_lua(s, word[1] == '?' ? "??" : "?", word + strspn(word, "?"));
  else if (is_file_name(line, start))
    rl_attempted_completion_over = 0; // Readline completes file names
  else
    found = complete_lua(s, "", word);
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

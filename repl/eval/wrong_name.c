// SPDX-License-Identifier: Apache-2.0
// Explains a nil that was called or indexed: a slip in a name, or a name that
// people bring along from Python.
#include "repl/eval/wrong_name.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "lua/bind/array.h"
#include "lua/bind/bind.h"
#include "repl/eval/python.h"

static const struct {
  const char *name, *answer;
} rows[] = {
#define NAME(name, answer) {name, answer},
#include "repl/eval/wrong_name.def"
#undef NAME
};

enum { MAX_NAME = 60, MAX_PATH = 120 };

const char *wrong_name_known(const char *name) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name))
      return rows[i].answer;
  return NULL;
}

// ---- What the error and the line say ----

// "... (field 'sume')": the word before the quotes and what stands in them.
static bool read_name(const char *error, char *kind, char *name) {
  size_t line = strcspn(error, "\n");
  const char *open = memchr(error, '(', line);
  while (open && open[1] && strncmp(open, "(field '", 8) &&
         strncmp(open, "(global '", 9) && strncmp(open, "(method '", 9))
    open = memchr(open + 1, '(', line - (size_t)(open + 1 - error));
  if (!open)
    return false;
  size_t n = strcspn(open + 1, " ");
  const char *from = open + 1 + n + 2;
  size_t bytes = strcspn(from, "'");
  if (n >= 8 || bytes >= MAX_NAME)
    return false;
  memcpy(kind, open + 1, n);
  kind[n] = 0;
  memcpy(name, from, bytes);
  name[bytes] = 0;
  return true;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// "np.fft" for `fft2` in "y = np.fft.fft2(x)": what it is looked up in.
static bool read_owner(const char *line, const char *name, char *owner) {
  size_t n = strlen(name);
  for (const char *p = line; (p = strstr(p, name)); p += n) {
    if (p == line || !strchr(".:", p[-1]) || is_word(p[n]))
      continue;
    const char *from = p - 1;
    while (from > line && (is_word(from[-1]) || from[-1] == '.'))
      from--;
    size_t bytes = (size_t)(p - 1 - from);
    if (!bytes || bytes >= MAX_PATH)
      return false;
    memcpy(owner, from, bytes);
    owner[bytes] = 0;
    return true;
  }
  return false;
}

// ---- What is there ----

// owner -> the table in which its names lie, or nil; protected.
static int push_names(lua_State *L) {
  bind_push_named(L, lua_tostring(L, 1));
  if (array_test(L, -1))
    array_push_methods(L);
  else if (!lua_istable(L, -1))
    lua_pushnil(L);
  return 1;
}

// np, cuda and jax answer themselves.
static bool is_module(const char *owner) {
  static const char *const names[] = {"math", "string", "table", NULL};
  size_t n = strcspn(owner, ".");
  for (int i = 0; names[i]; i++)
    if (strlen(names[i]) == n && !strncmp(owner, names[i], n))
      return true;
  return false;
}

static bool add_nearest(lua_State *L, const char *owner, const char *name,
                        char separator, struct str *answer) {
  struct nearest near = nearest_to(name);
  lua_pushcfunction(L, push_names);
  lua_pushstring(L, owner);
  bool found = bind_pcall(L, 1, 1) == LUA_OK && lua_istable(L, -1);
  if (found)
    bind_try_names(L, &near);
  if (found && near.name)
    str_addf(answer, "There is no %s in %s. Did you mean %s%c%s?", name, owner,
             owner, separator, near.name);
  else if (found && is_module(owner))
    str_addf(answer, "There is no %s in %s: ?%s lists what there is.", name,
             owner, owner);
  lua_pop(L, 1);
  return answer->len > 0;
}

// A global that is nil: one that is nearly called so.
static bool add_nearest_global(lua_State *L, const char *name,
                               struct str *answer) {
  struct nearest near = nearest_to(name);
  lua_pushglobaltable(L);
  bind_try_names(L, &near);
  bool found = near.name != NULL;
  if (found)
    str_addf(answer, "No variable is called %s. Did you mean %s?", name,
             near.name);
  lua_pop(L, 1);
  return found;
}

// [L: ] -> the global `name` is nil; protected, as _G may have a metatable.
static int is_nil_global(lua_State *L) {
  lua_pushglobaltable(L);
  lua_pushvalue(L, 1);
  lua_pushboolean(L, lua_rawget(L, -2) == LUA_TNIL);
  return 1;
}

static bool is_lone_name(const char *text, char *name) {
  static const char *const spelt[] = {"nil", "true", "false"};
  text += strspn(text, " \t");
  size_t n = 0;
  while (is_word(text[n]))
    n++;
  if (!n || n >= MAX_NAME || isdigit((unsigned char)*text) ||
      text[n + strspn(text + n, " \t\n;")])
    return false;
  memcpy(name, text, n);
  name[n] = 0;
  for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++)
    if (!strcmp(name, spelt[i]))
      return false;
  return true;
}

bool wrong_name_lone(lua_State *L, const char *text, struct str *answer) {
  char name[MAX_NAME];
  if (!is_lone_name(text, name))
    return false;
  lua_pushcfunction(L, is_nil_global);
  lua_pushstring(L, name);
  bool is_nil = bind_pcall(L, 1, 1) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (!is_nil)
    return false;
  const char *known = wrong_name_known(name);
  str_add(answer, "nil: ");
  if (known)
    str_addf(answer, "%s is Python's or another library's. Here: %s", name,
             known);
  else if (!add_nearest_global(L, name, answer))
    str_addf(answer, "no variable is called %s (:who lists yours)", name);
  return true;
}

// math.sin(x) of an array, which np.sin takes.
static bool add_math_answer(lua_State *L, const char *error,
                            struct str *answer) {
  char name[MAX_NAME];
  int top = lua_gettop(L);
  const char *wants = strstr(error, "(number expected, got np.array)");
  if (!wants || sscanf(error, "bad argument #%*d to '%59[a-z]'", name) != 1)
    return false;
  lua_pushglobaltable(L);
  lua_pushliteral(L, "np");
  if (lua_rawget(L, -2) == LUA_TTABLE) {
    lua_pushstring(L, name);
    if (lua_rawget(L, -2) != LUA_TNIL)
      str_addf(answer, "Lua's math takes numbers; np.%s takes arrays.", name);
  }
  lua_settop(L, top);
  return answer->len > 0;
}

// "# words" is the length of a name to Lua.
static bool is_comment(const char *error, const char *line) {
  return line && strstr(error, "get length of a nil value") &&
         str_starts(line + strspn(line, " \t"), "# ");
}

bool wrong_name_shape(const char *line) {
  static const char shape[] = ".shape[";
  for (const char *p = line; (p = strstr(p, shape));) {
    p += sizeof shape - 1;
    if (str_starts(p, "0]") || (*p == '-' && isdigit((unsigned char)p[1])))
      return true;
  }
  return false;
}

bool wrong_name_answer(lua_State *L, const char *error, const char *line,
                       struct str *answer) {
  char kind[8], name[MAX_NAME], owner[MAX_PATH];
  if (is_comment(error, line)) {
    str_add(answer, "A comment begins with -- in Lua.");
    return true;
  }
  if (add_math_answer(L, error, answer))
    return true;
  if (line && strstr(error, "attempt to mod a 'string'"))
    return python_answer(line, answer);
  if (strstr(error, "attempt to add a 'string'")) {
    str_add(answer, "Texts are joined with two points: \"n = \" .. 3");
    return true;
  }
  if (line && wrong_name_shape(line)) {
    str_add(answer, WRONG_NAME_SHAPE);
    return true;
  }
  if (!strstr(error, "a nil value") || !read_name(error, kind, name))
    return false;
  if (line && !strcmp(name, "f") && python_answer(line, answer))
    return true; // f"x = {x}" calls f
  const char *known = wrong_name_known(name);
  if (!strcmp(kind, "global") && known) {
    str_addf(answer, "%s is Python's or another library's. Here: %s", name,
             known);
    return true;
  }
  if (!strcmp(kind, "global"))
    return add_nearest_global(L, name, answer);
  if (!line || !read_owner(line, name, owner))
    return false;
  return add_nearest(L, owner, name, !strcmp(kind, "method") ? ':' : '.',
                     answer);
}

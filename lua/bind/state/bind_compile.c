// SPDX-License-Identifier: Apache-2.0
// Lua text whose last expression is its value, as at a prompt.
#include "lua/bind/state/bind.h"

#include <ctype.h>
#include <string.h>

static bool is_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Lua says "near <eof>" where more text could still make it right.
static bool ends_too_early(lua_State *L) {
  const char *text = lua_tostring(L, -1);
  return text && str_ends(text, "<eof>");
}

static int load_text(lua_State *L, const char *text, size_t bytes,
                     const char *chunk) {
  return luaL_loadbufferx(L, text, bytes, chunk, "t");
}

static bool compiles(lua_State *L, const char *text, size_t bytes) {
  int status = load_text(L, text, bytes, "=prompt");
  lua_pop(L, 1);
  return status == LUA_OK;
}

// "return " between the first `at` bytes and the rest; pushes the function if
// that is Lua.
static bool load_return(lua_State *L, const char *text, size_t at,
                        const char *chunk) {
  struct str s = STR_INIT;
  str_add_bytes(&s, text, at);
  str_addf(&s, "return %s", text + at);
  bool fits = load_text(L, s.data, s.len, chunk) == LUA_OK;
  if (!fits)
    lua_pop(L, 1);
  str_free(&s);
  return fits;
}

// The same if the first bytes are whole statements and the rest is one
// expression.
static bool load_split(lua_State *L, const char *text, size_t at,
                       const char *chunk) {
  if (!load_return(L, text + at, 0, chunk))
    return false;
  lua_pop(L, 1);
  return compiles(L, text, at) && load_return(L, text, at, chunk);
}

enum { MAX_SPLITS = 64 };

// The places where a last statement may begin: behind line ends and ";". One
// inside a string or a block is no such place, and load_split sees that.
static int find_splits(const char *text, size_t *splits) {
  int n = 0;
  size_t bytes = strlen(text);
  for (size_t i = bytes; i-- > 1 && n < MAX_SPLITS;) {
    if (text[i - 1] != '\n' && text[i - 1] != ';')
      continue;
    size_t at = i + strspn(text + i, " \t\n;");
    if (text[at] && (n == 0 || splits[n - 1] != at))
      splits[n++] = at;
  }
  return n;
}

// Where statements compile as they are, a line that begins with "(" or "-"
// may belong to the one before; a name cannot.
static bool load_with_last_value(lua_State *L, const char *text,
                                 const char *chunk, bool names_only) {
  size_t splits[MAX_SPLITS];
  for (int n = find_splits(text, splits); n-- > 0;) {
    char c = text[splits[n]];
    if (names_only && (!is_word_char(c) || isdigit((unsigned char)c)))
      continue;
    if (load_split(L, text, splits[n], chunk))
      return true;
  }
  return false;
}

int bind_compile(lua_State *L, const char *text, const char *chunk,
                 bool *is_unfinished) {
  *is_unfinished = false;
  if (load_return(L, text, 0, chunk)) // an expression, as most lines are
    return LUA_OK;
  int status = load_text(L, text, strlen(text), chunk);
  bool is_whole = status == LUA_OK;
  if (load_with_last_value(L, text, chunk, is_whole)) {
    lua_remove(L, -2); // [function without a value, function]
    return LUA_OK;
  }
  *is_unfinished = !is_whole && ends_too_early(L);
  return status;
}

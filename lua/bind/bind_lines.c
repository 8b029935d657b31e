// SPDX-License-Identifier: Apache-2.0
// The learner's own lines, by their places.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/bind.h"

enum { MAX_SOURCE = 4 << 20 };

// The text that "[12]" or "file.lua" names, or NULL; the caller frees it.
static char *source_of(lua_State *L, const char *name) {
  char *text = NULL;
  size_t bytes;
  if (*name != '[')
    return file_read(name, MAX_SOURCE, &text, &bytes, NULL) ? NULL : text;
  if (lua_getfield(L, LUA_REGISTRYINDEX, BIND_ENTRIES) == LUA_TTABLE) {
    lua_rawgeti(L, -1, strtol(name + 1, NULL, 10));
    if (lua_isstring(L, -1))
      text = xstrdup(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return text;
}

void bind_push_line(lua_State *L, const char *where) {
  const char *colon = strrchr(where, ':');
  char *name = colon ? xstrndup(where, (size_t)(colon - where)) : NULL;
  char *text = name ? source_of(L, name) : NULL, *rest = text, *line = NULL;
  for (long n = colon ? strtol(colon + 1, NULL, 10) : 0; rest && n > 0; n--)
    line = strsep(&rest, "\n");
  if (line && (rest || *line)) {
    line += strspn(line, " \t");
    size_t n = strlen(line);
    while (n && strchr(" \t\r", line[n - 1]))
      n--;
    lua_pushlstring(L, line, n);
  } else {
    lua_pushnil(L);
  }
  free(text);
  free(name);
}

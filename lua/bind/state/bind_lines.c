// SPDX-License-Identifier: Apache-2.0
// The learner's own lines, by their places.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/state/bind.h"

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

char *bind_lines(lua_State *L, const char *name, int from, int to) {
  char *text = source_of(L, name);
  char *start = text, *lines = NULL;
  for (int line = 1; start && line < from; line++) {
    start = strchr(start, '\n');
    start = start ? start + 1 : NULL;
  }
  if (start) {
    size_t n = 0;
    for (int line = from; line <= to && start[n]; line++) {
      n += strcspn(start + n, "\n");
      n += start[n] == '\n';
    }
    lines = xstrndup(start, n);
  }
  free(text);
  return lines;
}

void bind_push_line(lua_State *L, const char *where) {
  const char *colon = strrchr(where, ':');
  char *name = colon ? xstrndup(where, (size_t)(colon - where)) : NULL;
  int at = colon ? (int)strtol(colon + 1, NULL, 10) : 0;
  char *line = at > 0 ? bind_lines(L, name, at, at) : NULL;
  if (line && *line) {
    const char *start = line + strspn(line, " \t");
    size_t n = strlen(start);
    while (n && strchr(" \t\r\n", start[n - 1]))
      n--;
    lua_pushlstring(L, start, n);
  } else {
    lua_pushnil(L);
  }
  free(line);
  free(name);
}

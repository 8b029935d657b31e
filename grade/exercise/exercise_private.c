// SPDX-License-Identifier: Apache-2.0
#include "grade/exercise/exercise_private.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "grade/course/course.h"
#include "grade/exercise/sandbox.h"

enum { MAX_FILE_BYTES = 1 << 20 };

char *exercise_private_folder(const char *folder, const char *name) {
  char *course = xasprintf("%s/../..", folder);
  char *private = xasprintf("%s/exercises-private/%s", course, name);
  if (!course_is_folder(course) || access(private, F_OK)) {
    free(private);
    private = NULL;
  }
  free(course);
  return private;
}

// [description, private]: adds the list at `key`.
static void append(lua_State *L, const char *key, bool hides) {
  if (lua_getfield(L, 2, key) == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (!lua_istable(L, -1) || lua_getfield(L, 1, key) != LUA_TTABLE)
    luaL_error(L, "%s must be a list here and in exercises/", key);
  lua_Integer count = luaL_len(L, -2), have = luaL_len(L, -1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -2, i);
    if (hides && lua_istable(L, -1)) {
      lua_pushboolean(L, true);
      lua_setfield(L, -2, "hidden");
    }
    lua_rawseti(L, -2, have + i);
  }
  lua_pop(L, 2);
}

static int merge(lua_State *L) {
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (strcmp(key, "cases") && strcmp(key, "mutants"))
      return luaL_error(L, "it has cases and mutants, and not \"%s\"", key);
  }
  append(L, "cases", true);
  append(L, "mutants", false);
  return 0;
}

// Of the description.
static int count_mutants(lua_State *L) {
  lua_getfield(L, 1, "mutants");
  int count = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
  lua_pop(L, 1);
  return count;
}

void exercise_private_merge(struct fields *l) {
  if (!l->ex->private_folder || l->err)
    return;
  char *path = xasprintf("%s/exercise.lua", l->ex->private_folder), *text;
  struct err_info why;
  size_t bytes;
  if (!access(path, F_OK)) {
    l->err = file_read(path, MAX_FILE_BYTES, &text, &bytes, l->e);
    if (!l->err) {
      l->ex->private_mutants -= count_mutants(l->L);
      lua_pushcfunction(l->L, merge);
      lua_pushvalue(l->L, 1);
      l->err = sandbox_run(l->L, text, l->ex->private_folder, &why);
      if (!l->err)
        l->err = sandbox_call(l->L, 2, 0, &why);
      if (l->err)
        err_set(l->e, l->err, "%s: %s", path, why.text);
      l->ex->private_mutants += count_mutants(l->L);
      free(text);
    }
  }
  free(path);
}

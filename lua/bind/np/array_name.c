// SPDX-License-Identifier: Apache-2.0
// What the learner calls an array: the Lua variable that holds it.
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// A view is an array of its own: others of its storage are not it.
static bool is_same(const struct array *a, const struct array *b) {
  if (a->offset != b->offset || a->dtype != b->dtype || a->ndim != b->ndim)
    return false;
  for (int i = 0; i < a->ndim; i++)
    if (a->shape[i] != b->shape[i] || a->strides[i] != b->strides[i])
      return false;
  return true;
}

// What is looked for: any array of the storage, or this one of its arrays.
struct sought {
  const struct storage *storage;
  const struct array *array; // NULL: any
};

static bool holds(lua_State *L, const struct sought *s) {
  struct array *a = array_test(L, -1);
  return a && a->storage == s->storage && (!s->array || is_same(a, s->array));
}

// Locals and upvalues of the Lua function at `ar`; pushes the array.
static bool find_in_frame(lua_State *L, lua_Debug *ar, const struct sought *s,
                          char *out, size_t bytes) {
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, ar, i)); i++) {
    if (name[0] != '(' && holds(L, s)) {
      snprintf(out, bytes, "%s", name);
      return true;
    }
    lua_pop(L, 1);
  }
  lua_getinfo(L, "f", ar); // [function]
  for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
    if (holds(L, s)) {
      snprintf(out, bytes, "%s", name);
      lua_remove(L, -2);
      return true;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return false;
}

// `_`, `__`, `_1`: a value that the prompt printed.
static bool is_prompts(const char *name) {
  return *name == '_' && (!name[strspn(name, "_")] ||
                          !name[1 + strspn(name + 1, "0123456789")]);
}

// What the prompt calls it is no name where there is another.
static bool is_better(const char *name, const char *than) {
  if (!*than || is_prompts(name) != is_prompts(than))
    return !*than || is_prompts(than);
  return strcmp(name, than) < 0;
}

// The alphabetically first global, so that the answer is always the same.
static bool find_in_globals(lua_State *L, const struct sought *s, char *out,
                            size_t bytes) {
  out[0] = 0;
  lua_pushglobaltable(L);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    const char *name =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (name && holds(L, s) && is_better(name, out))
      snprintf(out, bytes, "%s", name);
    lua_pop(L, 1);
  }
  if (out[0])
    lua_getfield(L, -1, out);
  else
    lua_pushnil(L);
  lua_remove(L, -2);
  if (lua_isnil(L, -1))
    lua_pop(L, 1);
  return out[0] != 0;
}

static bool push_sought(lua_State *L, const struct sought *s, char *out,
                        size_t bytes) {
  lua_Debug ar;
  luaL_checkstack(L, 8, NULL);
  for (int level = 0; level < 50 && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "S", &ar);
    bool is_ours =
        ar.what[0] == 'C' || strncmp(ar.source, "=[warpshop]", 11) == 0;
    if (!is_ours && find_in_frame(L, &ar, s, out, bytes))
      return true;
  }
  return find_in_globals(L, s, out, bytes);
}

bool array_push_variable(lua_State *L, const struct storage *s, char *out,
                         size_t bytes) {
  return push_sought(L, &(struct sought){s, NULL}, out, bytes);
}

bool array_variable_name(lua_State *L, const struct storage *s, char *out,
                         size_t bytes) {
  if (!array_push_variable(L, s, out, bytes))
    return false;
  lua_pop(L, 1);
  return true;
}

const char *array_push_name(lua_State *L, const struct array *a,
                            const char *fallback) {
  char name[80];
  struct sought s = {a->storage, a};
  if (!a->storage || !push_sought(L, &s, name, sizeof name))
    return lua_pushstring(L, fallback);
  lua_pop(L, 1);
  return lua_pushstring(L, name);
}

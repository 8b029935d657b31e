// SPDX-License-Identifier: Apache-2.0
// Dictionaries of texts as values of Lua: t:get(code), t:find(text), #t.
#include "lua/bind/frame/l_frame.h"

#define TEXTS_TYPE "frame.texts"

static struct texts **check_box(lua_State *L, int i) {
  return luaL_checkudata(L, i, TEXTS_TYPE);
}

struct texts *lframe_check_texts(lua_State *L, int i) {
  return *check_box(L, i);
}

static int l_free(lua_State *L) {
  struct texts **box = check_box(L, 1);
  texts_free(*box);
  *box = NULL;
  return 0;
}

static void no_memory(lua_State *L) {
  bind_error(L, ERR_NOMEM, "frame: there is no memory for the column's texts");
}

static int32_t add(lua_State *L, struct texts *t, const char *text, size_t n) {
  int32_t code = texts_add(t, text, n);
  if (code < 0)
    no_memory(L);
  return code;
}

// t:add(text): its code.
static int l_add(lua_State *L) {
  size_t n;
  const char *text = luaL_checklstring(L, 2, &n);
  lua_pushinteger(L, add(L, lframe_check_texts(L, 1), text, n));
  return 1;
}

static int l_find(lua_State *L) {
  size_t n;
  const char *text = luaL_checklstring(L, 2, &n);
  lua_pushinteger(L, texts_find(lframe_check_texts(L, 1), text, n));
  return 1;
}

static int l_get(lua_State *L) {
  const struct texts *t = lframe_check_texts(L, 1);
  lua_Integer code = luaL_checkinteger(L, 2);
  if (code < 0 || code >= texts_count(t))
    return 0;
  size_t n;
  const char *text = texts_get(t, (int32_t)code, &n);
  lua_pushlstring(L, text, n);
  return 1;
}

static int l_count(lua_State *L) {
  lua_pushinteger(L, texts_count(lframe_check_texts(L, 1)));
  return 1;
}

// t:ranks(): for each code how many texts stand before its own.
static int l_ranks(lua_State *L) {
  const struct texts *t = lframe_check_texts(L, 1);
  if (texts_ranks(t, lframe_push_column(L, DTYPE_I32, texts_count(t))))
    no_memory(L);
  return 1;
}

// t:take_in(other): an array that has t's code for each code of the other's.
static int l_take_in(lua_State *L) {
  struct texts *t = lframe_check_texts(L, 1);
  const struct texts *other = lframe_check_texts(L, 2);
  int32_t *to = lframe_push_column(L, DTYPE_I32, texts_count(other));
  for (int32_t code = 0; code < texts_count(other); code++) {
    size_t n;
    const char *text = texts_get(other, code, &n);
    to[code] = add(L, t, text, n);
  }
  return 1;
}

struct texts *lframe_push_texts(lua_State *L, struct texts *t) {
  static const luaL_Reg methods[] = {
      {"add", l_add},     {"find", l_find},       {"get", l_get},
      {"ranks", l_ranks}, {"take_in", l_take_in}, {NULL, NULL},
  };
  struct texts **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = t;
  if (luaL_newmetatable(L, TEXTS_TYPE)) {
    lua_pushcfunction(L, l_free);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, l_count);
    lua_setfield(L, -2, "__len");
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
  if (!*box && !(*box = texts_new()))
    no_memory(L);
  return *box;
}

// texts(): an empty one.
static int l_texts(lua_State *L) {
  lframe_push_texts(L, NULL);
  return 1;
}

// encode(list, n, texts): the codes of a list's texts; what is none is missing.
static int l_encode(lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 2);
  struct texts *t = lframe_check_texts(L, 3);
  int32_t *codes = lframe_push_column(L, DTYPE_I32, n);
  for (lua_Integer i = 1; i <= n; i++, lua_pop(L, 1)) {
    codes[i - 1] = -1;
    size_t bytes;
    if (lua_rawgeti(L, 1, i) != LUA_TSTRING)
      continue;
    const char *text = lua_tolstring(L, -1, &bytes);
    codes[i - 1] = add(L, t, text, bytes);
  }
  return 1;
}

void lframe_open_texts(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"texts", l_texts}, {"encode", l_encode}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

// SPDX-License-Identifier: Apache-2.0
// Errors as Lua sees them: a table {kind, message, diagnostics, where} whose
// tostring reads "file:line: message".
#include "lua/bind/state/bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ERROR_TYPE "warpshop.error"

// Chunks of warpshop itself are named "=[warpshop] ..." and are never blamed.
static bool is_own(const lua_Debug *ar) {
  return !strncmp(ar->source, "=[warpshop]", 11);
}

bool bind_find_line(lua_State *L, char *file, size_t bytes, int *line) {
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline > 0 && !is_own(&ar)) {
      snprintf(file, bytes, "%s", ar.short_src);
      *line = ar.currentline;
      return true;
    }
  }
  return false;
}

// Pushes "file:line" of it, or nil.
static void push_where(lua_State *L) {
  char file[LUA_IDSIZE];
  int line;
  if (bind_find_line(L, file, sizeof file, &line))
    lua_pushfstring(L, "%s:%d", file, line);
  else
    lua_pushnil(L);
}

// np:sum(x) hands np itself to np.sum, which complains of a table.
static void push_message(lua_State *L, const char *message) {
  if (!bind_push_colon_call(L)) {
    lua_pushstring(L, message);
    return;
  }
  const char *name = lua_tostring(L, -1);
  lua_pushfstring(L,
                  "%s is called with a dot, %s(...): with a colon the table "
                  "in front is its first argument\n  (%s)",
                  name, name, message);
  lua_remove(L, -2);
}

static int error_tostring(lua_State *L) {
  lua_getfield(L, 1, "message");
  if (lua_getfield(L, 1, "where") != LUA_TSTRING) {
    lua_pop(L, 1);
    return 1;
  }
  // [error, message, where]
  luaL_tolstring(L, -2, NULL);
  lua_pushfstring(L, "%s: %s", lua_tostring(L, -2), lua_tostring(L, -1));
  return 1;
}

static void push_metatable(lua_State *L) {
  if (!luaL_newmetatable(L, ERROR_TYPE))
    return;
  lua_pushcfunction(L, error_tostring);
  lua_setfield(L, -2, "__tostring");
}

void bind_push_error(lua_State *L, enum err kind, const char *message) {
  luaL_checkstack(L, 8, NULL);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, err_kind(kind));
  lua_setfield(L, -2, "kind");
  push_message(L, message);
  lua_setfield(L, -2, "message");
  lua_newtable(L);
  lua_setfield(L, -2, "diagnostics");
  push_where(L);
  lua_setfield(L, -2, "where");
  push_metatable(L);
  lua_setmetatable(L, -2);
}

int bind_error(lua_State *L, enum err kind, const char *fmt, ...) {
  char text[2048];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  bind_push_error(L, kind, text);
  lua_error(L);
  __builtin_unreachable();
}

int bind_error_info(lua_State *L, const struct err_info *e) {
  if (e->file[0])
    bind_error(L, e->code, "%s:%d:%d: %s", e->file, e->line, e->col, e->text);
  bind_error(L, e->code, "%s", e->text[0] ? e->text : err_text(e->code));
}

// An array, by its type's name: np stands above this file.
static bool is_array(lua_State *L, int i) {
  if (!luaL_getmetafield(L, i, "__name"))
    return false;
  const char *name = lua_tostring(L, -1);
  bool is_it = name && !strcmp(name, "np.array");
  lua_pop(L, 1);
  return is_it;
}

const char *bind_value_text(lua_State *L, int i) {
  switch (lua_type(L, i)) {
  case LUA_TNONE: return "nothing";
  case LUA_TNIL: return "nil (is its name right?)";
  case LUA_TBOOLEAN: return "a boolean";
  case LUA_TNUMBER: return "a number";
  case LUA_TSTRING: return "a string";
  case LUA_TTABLE: return "a table";
  case LUA_TFUNCTION: return "a function";
  default: return is_array(L, i) ? "an array" : "a userdata";
  }
}

const char *bind_error_kind(lua_State *L, int i) {
  if (lua_type(L, i) != LUA_TTABLE)
    return "lua";
  const char *kind = "lua";
  i = lua_absindex(L, i);
  // The string stays alive in the error table when it is popped.
  lua_pushliteral(L, "kind");
  if (lua_rawget(L, i) == LUA_TSTRING)
    kind = lua_tostring(L, -1);
  lua_pop(L, 1);
  return kind;
}

// Error tables pass through; a plain string gets a traceback.
static int add_traceback(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    return 1;
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

int bind_pcall(lua_State *L, int nargs, int nresults) {
  int base = lua_gettop(L) - nargs;
  lua_pushcfunction(L, add_traceback);
  lua_insert(L, base);
  int status = lua_pcall(L, nargs, nresults, base);
  lua_remove(L, base);
  return status;
}

int bind_l_raise(lua_State *L) {
  const char *kind = luaL_checkstring(L, 1);
  for (int k = 1; k < ERR_COUNT; k++)
    if (!strcmp(kind, err_kind((enum err)k)))
      bind_error(L, (enum err)k, "%s", luaL_checkstring(L, 2));
  bind_error(L, ERR_INTERNAL, "no kind of error: %s", kind);
}

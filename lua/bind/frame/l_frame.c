// SPDX-License-Identifier: Apache-2.0
// Opens `frame`. Its Lua files call `use` for one another (use("column")) and
// find in it what they need of C; they are loaded at the first look.
#include "lua/bind/frame/frame.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "lua/bind/cuda/cuda.h"
#include "lua/bind/frame/l_frame.h"

struct array *lframe_check_column(lua_State *L, int i, enum dtype t) {
  i = lua_absindex(L, i);
  struct array *a = array_check_host(L, i, "frame");
  if (a->ndim != 1)
    bind_error(L, ERR_ARGUMENT,
               "frame: a column is an array with one axis, not %d", a->ndim);
  if ((t != DTYPE_COUNT && a->dtype != t) || !array_is_contiguous(a)) {
    a = array_push_copy(L, a, t == DTYPE_COUNT ? a->dtype : t);
    lua_replace(L, i);
  }
  return a;
}

void *lframe_push_column(lua_State *L, enum dtype t, int64_t n) {
  return array_data(array_push_host(L, t, 1, &n));
}

// ---- What the Lua files need ----

// columns(): of the terminal, or 80.
static int l_columns(lua_State *L) {
  struct winsize size;
  bool is_known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20;
  lua_pushinteger(L, is_known ? size.ws_col : 80);
  return 1;
}

// number_text(v): as Python writes it, 1.5, 1e-07, 2.0; integers without a point.
static int l_number_text(lua_State *L) {
  char text[NUMBER_TEXT];
  if (lua_isinteger(L, 1))
    lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, 1));
  else if (lua_type(L, 1) == LUA_TNUMBER)
    lua_pushlstring(L, text, number_write(lua_tonumber(L, 1), false, text));
  else
    lua_settop(L, 1);
  return 1;
}

// ---- Loading ----

#define LIBRARY "frame.library"
#define MAKER   "frame.of_columns"

// keep_maker(function): what makes a frame of columns.
static int l_keep_maker(lua_State *L) {
  lua_setfield(L, LUA_REGISTRYINDEX, MAKER);
  return 0;
}

static void make_use(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"number_text", l_number_text},
      {"columns", l_columns},
      {"raise", bind_l_raise},
      {"nearest", bind_l_nearest},
      {"is_array", array_l_is},
      {"value_text", bind_l_value_text},
      {"guard", bind_l_guard},
      {"pooled", lcuda_l_pooled},
      {"keep_maker", l_keep_maker},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lframe_open_texts(L);
  lframe_open_groups(L);
  lframe_open_csv(L);
  lframe_open_arrow(L);
  lframe_open_python(L);
  lua_getglobal(L, "np");
  lua_setfield(L, -2, "np");
  lua_getglobal(L, "cuda");
  lua_setfield(L, -2, "cuda");
  bind_make_use(L, "lua/frame", "shared/");
}

// Fills the table at index 1, which is `frame`.
static int load(lua_State *L) {
  make_use(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "frame");
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  return 0;
}

void lframe_push_frame(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, LIBRARY);
  lua_getfield(L, -1, "DataFrame"); // the first look
  lua_pop(L, 2);
  lua_getfield(L, LUA_REGISTRYINDEX, MAKER);
  lua_insert(L, -3);
  lua_call(L, 2, 1);
}

void lframe_open(lua_State *L) {
  bind_push_library(L, load);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, LIBRARY);
  lua_setglobal(L, "frame");
}

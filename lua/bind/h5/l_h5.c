// SPDX-License-Identifier: Apache-2.0
// Files of HDF5 as values of Lua: names, data sets, boxes of them as arrays.
#include <string.h>

#include "lua/bind/h5/h5.h"
#include "lua/bind/h5/hdf5.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

#define FILE_TYPE "h5.file"

struct file {
  struct hdf5 *h; // NULL: it is closed
};

static struct hdf5 *check_file(lua_State *L) {
  struct file *f = luaL_checkudata(L, 1, FILE_TYPE);
  if (!f->h)
    bind_error(L, ERR_ARGUMENT, "h5: the file is closed");
  return f->h;
}

// Nobody closed it, so nobody hears what went wrong.
static int l_forget(lua_State *L) {
  struct file *f = luaL_checkudata(L, 1, FILE_TYPE);
  struct err_info e;
  hdf5_close(f->h, &e);
  f->h = NULL;
  return 0;
}

static int l_is_open(lua_State *L) {
  struct file *f = luaL_checkudata(L, 1, FILE_TYPE);
  lua_pushboolean(L, f->h != NULL);
  return 1;
}

// The label is the upvalue of the file: "File: x.h5".
static void check(lua_State *L, enum err err, const struct err_info *e) {
  if (!err)
    return;
  lua_getiuservalue(L, 1, 1);
  bind_error(L, err, "%s: %s", lua_tostring(L, -1), e->text);
}

static int l_close(lua_State *L) {
  struct file *f = luaL_checkudata(L, 1, FILE_TYPE);
  struct hdf5 *h = f->h;
  struct err_info e;
  f->h = NULL;
  check(L, hdf5_close(h, &e), &e);
  return 0;
}

static void push_numbers(lua_State *L, const int64_t *list, int n) {
  lua_createtable(L, n, 0);
  for (int d = 0; d < n; d++) {
    lua_pushinteger(L, list[d]);
    lua_rawseti(L, -2, d + 1);
  }
}

// f:look(name): {is_group} or {dtype, shape, chunks}.
static int l_look(lua_State *L) {
  struct hdf5_info info;
  struct err_info e;
  check(L, hdf5_look(check_file(L), luaL_checkstring(L, 2), &info, &e), &e);
  lua_createtable(L, 0, 3);
  if (info.is_group) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "is_group");
    return 1;
  }
  bind_set_text(L, "dtype", dtype_name(info.dtype));
  push_numbers(L, info.shape, info.ndim);
  lua_setfield(L, -2, "shape");
  if (info.ndim && info.chunks[0]) {
    push_numbers(L, info.chunks, info.ndim);
    lua_setfield(L, -2, "chunks");
  }
  return 1;
}

static void add_name(void *context, const char *name) {
  lua_State *L = context;
  lua_pushstring(L, name);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

// f:names(group)
static int l_names(lua_State *L) {
  struct hdf5 *h = check_file(L);
  const char *group = luaL_checkstring(L, 2);
  struct err_info e;
  lua_newtable(L);
  check(L, hdf5_names(h, group, add_name, L, &e), &e);
  return 1;
}

static void check_box(lua_State *L, const struct hdf5_info *info,
                      struct hdf5_box *box) {
  bool is_right = array_check_shape(L, 3, "h5", box->first) == info->ndim &&
                  array_check_shape(L, 4, "h5", box->count) == info->ndim &&
                  array_check_shape(L, 5, "h5", box->step) == info->ndim;
  for (int d = 0; is_right && d < info->ndim; d++) {
    int64_t n = info->shape[d], left = n - box->first[d];
    is_right = box->step[d] > 0 && left >= 0 && box->count[d] <= n &&
               (!box->count[d] ||
                (left > 0 && box->count[d] - 1 <= (left - 1) / box->step[d]));
  }
  if (!is_right)
    bind_error(L, ERR_IO, "h5: the data set is smaller than it was");
}

// f:read(name, first, count, step): an array of that box.
static int l_read(lua_State *L) {
  struct hdf5 *h = check_file(L);
  const char *name = luaL_checkstring(L, 2);
  struct hdf5_info info;
  struct hdf5_box box;
  struct err_info e;
  check(L, hdf5_look(h, name, &info, &e), &e);
  if (info.is_group)
    bind_error(L, ERR_ARGUMENT, "h5: \"%s\" is a group, and holds no elements",
               name);
  check_box(L, &info, &box);
  struct array *a = array_push_host(L, info.dtype, info.ndim, box.count);
  if (array_count(a))
    check(L, hdf5_read(h, name, &info, &box, array_data(a), &e), &e);
  return 1;
}

// f:write(name, array, chunks or nil, level or -1)
static int l_write(lua_State *L) {
  struct hdf5 *h = check_file(L);
  const char *name = luaL_checkstring(L, 2);
  struct hdf5_info info = {0};
  struct err_info e;
  struct array *a = array_check_host(L, 3, "h5");
  if (a->dtype == DTYPE_BF16)
    bind_error(L, ERR_ARGUMENT,
               "h5: HDF5 has no bf16; x:astype(\"f32\") can be written");
  if (!array_is_contiguous(a))
    a = array_push_copy(L, a, a->dtype);
  info.dtype = a->dtype;
  info.ndim = a->ndim;
  memcpy(info.shape, a->shape, (size_t)a->ndim * sizeof a->shape[0]);
  if (!lua_isnil(L, 4) && array_check_shape(L, 4, "h5", info.chunks) != a->ndim)
    bind_error(L, ERR_ARGUMENT, "h5: chunks has one number for each axis");
  int level = (int)luaL_optinteger(L, 5, -1);
  check(L, hdf5_write(h, name, &info, level, array_data(a), &e), &e);
  return 0;
}

static void make_type(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"close", l_close}, {"is_open", l_is_open}, {"look", l_look},
      {"names", l_names}, {"read", l_read},       {"write", l_write},
      {NULL, NULL},
  };
  if (luaL_newmetatable(L, FILE_TYPE)) {
    lua_pushcfunction(L, l_forget);
    lua_setfield(L, -2, "__gc");
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2);
}

// h5_open(path, mode, label): a file; mode: "r", "r+", "a", "w".
static int l_open(lua_State *L) {
  static const char *const modes[] = {"r", "r+", "a", "w", NULL};
  const char *path = luaL_checkstring(L, 1);
  enum hdf5_mode mode = (enum hdf5_mode)luaL_checkoption(L, 2, "r", modes);
  const char *label = luaL_checkstring(L, 3);
  struct err_info e;
  struct file *f = lua_newuserdatauv(L, sizeof *f, 1);
  f->h = NULL;
  make_type(L);
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, 1);
  enum err err = hdf5_open(path, mode, &f->h, &e);
  if (err)
    bind_error(L, err, "%s: %s", label, e.text);
  return 1;
}

void lh5_open_functions(lua_State *L) {
  static const luaL_Reg functions[] = {{"h5_open", l_open}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

static int load(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"raise", bind_l_raise},  {"nearest", bind_l_nearest},
      {"is_array", array_l_is}, {"value_text", bind_l_value_text},
      {"guard", bind_l_guard},  {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lh5_open_functions(L);
  lua_getglobal(L, "np");
  lua_setfield(L, -2, "np");
  bind_make_use(L, "lua/h5", "shared/");
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "h5");
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  return 0;
}

void lh5_open(lua_State *L) {
  bind_push_library(L, load);
  lua_setglobal(L, "h5");
}

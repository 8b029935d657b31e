// SPDX-License-Identifier: Apache-2.0
// Several devices: copies from one to another, and whether one reaches the
// other's memory. Each device is served by a process of its own, so copies go
// by way of the host's arena, which all of them map, and none reaches another's
// memory from a kernel.
#include "lua/bind/cuda/l_cuda_peer.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/bind/cuda/l_cuda_array.h"

// The device of an id, opened; raises an error that names the function.
static struct ldevice *check_device(lua_State *L, int at,
                                    const char *function) {
  if (lua_type(L, at) == LUA_TTABLE) // what cuda.device() gives
    lua_getfield(L, at, "id");
  else
    lua_pushvalue(L, at);
  const char *id = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  if (!id || !lcuda_is_device_id(id))
    bind_error(L, ERR_ARGUMENT,
               "%s takes a device such as \"virtual:1\", not %s "
               "(cuda.devices() lists them)",
               function, luaL_tolstring(L, at, NULL));
  struct ldevice *d = lcuda_open_device(L, id);
  lua_pop(L, 1);
  return d;
}

int lcuda_array_to(lua_State *L) {
  struct array *a = array_check(L, 1);
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "host") == 0)
    return lcuda_push_on_host(L);
  struct ldevice *d = check_device(L, 2, "x:to(device)");
  lua_settop(L, 1);
  if (array_is_device(a) && a->storage->device == d->gpu)
    return 1;
  return lcuda_push_on_device(L, d);
}

// cuda.memcpy_peer(to, from): between arrays of two devices.
static int l_memcpy_peer(lua_State *L) {
  for (int i = 1; i <= 2; i++)
    if (!array_test(L, i) || !array_is_device(array_test(L, i)))
      bind_error(L, ERR_ARGUMENT,
                 "cuda.memcpy_peer(to, from) takes two device arrays; argument "
                 "%d is %s",
                 i, array_test(L, i) ? "on the host" : luaL_typename(L, i));
  lua_settop(L, 2);
  lua_getfield(L, 1, "copy_from");
  lua_insert(L, 1);
  lua_call(L, 2, 0);
  return 0;
}

// ---- Methods of a device ----

static const char *own_id(lua_State *L) {
  if (lua_type(L, 1) != LUA_TTABLE || lua_getfield(L, 1, "id") != LUA_TSTRING)
    bind_error(L, ERR_ARGUMENT,
               "this is a method of a device: "
               "cuda.device():can_access_peer(\"virtual:1\")");
  return lua_tostring(L, -1);
}

static int device_can_access_peer(lua_State *L) {
  own_id(L);
  check_device(L, 2, "can_access_peer");
  lua_pushboolean(L, false);
  return 1;
}

static int device_enable_peer_access(lua_State *L) {
  const char *id = own_id(L);
  struct ldevice *d = check_device(L, 2, "enable_peer_access");
  if (strcmp(id, d->id) == 0)
    bind_error(L, ERR_ARGUMENT, "%s always reaches its own memory", id);
  bind_error(L, ERR_UNSUPPORTED,
             "kernels on %s cannot reach the memory of %s "
             "(can_access_peer says so): x:to(\"%s\") and "
             "cuda.memcpy_peer(to, from) copy it",
             id, d->id, id);
}

void lcuda_set_device_methods(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"can_access_peer", device_can_access_peer},
      {"enable_peer_access", device_enable_peer_access},
      {NULL, NULL}};
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
}

int lcuda_open_peer(lua_State *L) {
  lua_pushcfunction(L, l_memcpy_peer);
  lua_setfield(L, -2, "memcpy_peer");
  return 0;
}

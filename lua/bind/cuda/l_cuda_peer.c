// SPDX-License-Identifier: Apache-2.0
// Several devices: copies from one to another, and whether one reaches the
// other's memory. Each device is served by a process of its own. Real GPUs with a way
// to each other's memory copy by it: the server of the one maps the other's array, for
// as long as that lives. All others copy by way of the host's arena, which all of them
// map. No kernel reaches another's memory.
#include "lua/bind/cuda/l_cuda_peer.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_array.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_order.h"

// ---- Mappings ----

// Of the allocation that a storage lies in, in another device's server. It is good for
// the two servers that made it.
struct lpeer_import {
  struct lpeer_import *next;
  struct ldevice *to;
  uint64_t from_generation, to_generation;
  gpu_ptr start; // in the storage's own device
  gpu_ptr there;
};

// What is known of the way to another device: found out by the first copy.
struct lpeer_path {
  struct lpeer_path *next;
  const struct ldevice *to;
  bool is_direct;
  char why_not[200];
};

static struct lpeer_path *path_to(struct ldevice *from,
                                  const struct ldevice *to) {
  struct lpeer_path *p = from->paths;
  while (p && p->to != to)
    p = p->next;
  return p;
}

static void note_path(struct ldevice *from, const struct ldevice *to,
                      const struct err_info *why_not) {
  struct lpeer_path *p = path_to(from, to);
  if (!p) {
    p = xcalloc(1, sizeof *p);
    p->to = to;
    p->next = from->paths;
    from->paths = p;
  }
  p->is_direct = !why_not;
  snprintf(p->why_not, sizeof p->why_not, "%.199s",
           why_not ? why_not->text : "");
}

// Maps the allocation at `p` of `from` in the server of `to`.
static enum err map(struct ldevice *from, gpu_ptr p, struct ldevice *to,
                    struct lpeer_import *out, struct err_info *e) {
  struct gpu_export x;
  enum err err = remote_export(from->gpu, p, &x, e);
  if (err)
    return err;
  err = remote_import(to->gpu, x.fd, x.bytes, &out->there, e);
  close(x.fd);
  ldevice_sync(to);
  out->to = to;
  out->start = x.start;
  out->from_generation = from->generation;
  out->to_generation = to->generation;
  return err;
}

// A server that died is for the host's way to find; what is full may have room later.
static void note_failure(struct ldevice *from, const struct ldevice *to,
                         const struct err_info *e) {
  if (e->code != ERR_DEVICE_LOST && e->code != ERR_NOMEM &&
      e->code != ERR_CANCELLED)
    note_path(from, to, e);
}

static void unmap(const struct lpeer_import *m) {
  struct err_info e;
  if (m->to_generation == m->to->generation)
    m->to->gpu->backend->mem_free(m->to->gpu, m->there, &e);
}

void lpeer_forget(struct device_storage *ds) {
  for (struct lpeer_import *m = ds->imports, *next; m; m = next) {
    next = m->next;
    unmap(m);
    free(m);
  }
  ds->imports = NULL;
}

static void forget_paths(struct ldevice *d, const struct ldevice *to) {
  for (struct lpeer_path **link = &d->paths, *p; (p = *link);) {
    if (to && p->to != to) {
      link = &p->next;
      continue;
    }
    *link = p->next;
    free(p);
  }
}

void lpeer_end(struct lcuda *c, struct ldevice *d) {
  forget_paths(d, NULL);
  for (struct ldevice *from = c->devices; from; from = from->next) {
    forget_paths(from, d);
    for (struct device_storage *s = from->storages; s; s = s->next)
      for (struct lpeer_import **link = &s->imports, *m; (m = *link);) {
        if (m->to != d) {
          link = &m->next;
          continue;
        }
        *link = m->next;
        free(m);
      }
  }
}

// The storage's mapping in the server of `to`, made where there is none; or NULL.
static const struct lpeer_import *find_import(struct device_storage *ds,
                                              struct ldevice *to) {
  struct ldevice *from = ds->device;
  struct lpeer_import *m = ds->imports;
  struct err_info e = {0};
  while (m && (m->to != to || m->from_generation != from->generation ||
               m->to_generation != to->generation))
    m = m->next;
  if (m)
    return m;
  m = xcalloc(1, sizeof *m);
  if (map(from, ds->base.address, to, m, &e)) {
    note_failure(from, to, &e);
    free(m);
    return NULL;
  }
  note_path(from, to, NULL);
  m->next = ds->imports;
  ds->imports = m;
  return m;
}

// ---- Copies ----

static bool is_gpu(const struct ldevice *d) {
  return strncmp(d->id, "cuda:", 5) == 0 && !d->far;
}

gpu_ptr lpeer_map(lua_State *L, struct ldevice *to, const struct array *from) {
  struct device_storage *ds = device_storage_of(from->storage);
  struct ldevice *d = ds ? ds->device : NULL;
  if (!d || d == to || !is_gpu(d) || !is_gpu(to) || lcuda_of(L)->capture_device)
    return 0;
  const struct lpeer_path *p = path_to(d, to);
  if (p && !p->is_direct)
    return 0;
  array_await(L, from, false); // also revives a server that died
  const struct lpeer_import *m = ds->base.is_lost ? NULL : find_import(ds, to);
  return m ? m->there + (ds->base.address - m->start) + from->offset : 0;
}

void lpeer_copy(lua_State *L, const struct array *to, gpu_ptr address,
                const struct array *from) {
  struct ldevice *d = device_storage_of(to->storage)->device;
  struct err_info e = {0};
  size_t bytes = (size_t)array_count(from) * dtype_bytes(from->dtype);
  if (!bytes)
    return;
  lorder_queue(L, d, NULL, "copy_from");
  lorder_use_array(L, d, NULL, to, true);
  ltrace_begin(d, 0);
  if (d->gpu->backend->copy_on(d->gpu, to->storage->address + to->offset,
                               address, bytes, 0, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  lcuda_count_queued(d->owner, NULL, GPU_CALL_BYTES_ON_DEVICE, bytes);
  to->storage->busy_on = d->gpu;
  to->storage->last_writer = remote_last_seq(d->gpu);
  device_storage_changed(to->storage);
  // Until it is done nothing may happen to the other array, whose device has a
  // queue of its own.
  ldevice_hold(d, from->storage);
  ldevice_wait_seq(L, d, to->storage->last_writer);
}

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

// Whether memory of the one can be mapped by the other: tried with a block of it.
static void find_path(lua_State *L, struct ldevice *from, struct ldevice *to) {
  const struct gpu_backend *b = from->gpu->backend;
  struct lpeer_import m = {0};
  struct err_info e = {0};
  gpu_ptr p;
  if (b->mem_alloc(from->gpu, 1, 0, &p, &e) != ERR_OK)
    ldevice_fail(L, from, &e);
  ldevice_sync(from);
  if (map(from, p, to, &m, &e) == ERR_OK) {
    note_path(from, to, NULL);
    unmap(&m);
  } else {
    note_failure(from, to, &e);
  }
  b->mem_free(from->gpu, p, NULL);
}

// d:peer_path(id) -> "direct", or "host" and why.
static int device_peer_path(lua_State *L) {
  struct ldevice *from = lcuda_open_device(L, own_id(L));
  struct ldevice *to = check_device(L, 2, "peer_path");
  struct lpeer_path other = {.why_not = "only real GPUs of this machine do so"};
  if (from == to)
    bind_error(L, ERR_ARGUMENT, "%s always reaches its own memory", to->id);
  bool are_gpus = is_gpu(from) && is_gpu(to);
  if (are_gpus && !path_to(from, to))
    find_path(L, from, to);
  const struct lpeer_path *p = are_gpus ? path_to(from, to) : &other;
  lua_pushstring(L, p && p->is_direct ? "direct" : "host");
  if (p && !p->is_direct)
    lua_pushstring(L, p->why_not);
  return p && !p->is_direct ? 2 : 1;
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
      {"peer_path", device_peer_path},
      {NULL, NULL}};
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
}

int lcuda_open_peer(lua_State *L) {
  lua_pushcfunction(L, l_memcpy_peer);
  lua_setfield(L, -2, "memcpy_peer");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Several devices: copies from one to another, and whether one reaches the
// other's memory. Each device is served by a process of its own. Real GPUs with a way
// to each other's memory copy by it: the server of the one maps the other's array, for
// as long as that lives. All others copy by way of the host's arena, which all of them
// map. No kernel reaches another's memory. Groups of real GPUs speak by NCCL: servers
// join with their arrays carried over the host, and what all ranks do is queued on all
// of them before anything is waited for.
#include "lua/bind/cuda/l_cuda_peer.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/mem.h"
#include "base/str.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_array.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_graph.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_wait.h"

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

// ---- Groups ----

struct group {
  struct ldevice *devices[GPU_MAX_RANKS];
  struct gpu_device *gpus[GPU_MAX_RANKS];
  int size;
};

// The devices of the list of ids at `at`. False: there are too many.
static bool take_group(lua_State *L, int at, struct group *g) {
  luaL_checktype(L, at, LUA_TTABLE);
  lua_Integer count = luaL_len(L, at);
  g->size = 0;
  if (count > GPU_MAX_RANKS)
    return false;
  for (; g->size < count; g->size++) {
    lua_rawgeti(L, at, g->size + 1);
    struct ldevice *d = lcuda_open_device(L, luaL_checkstring(L, -1));
    for (int i = 0; i < g->size; i++) // it would wait for itself
      luaL_argcheck(L, g->devices[i] != d, at, "a device is there twice");
    g->devices[g->size] = d;
    g->gpus[g->size] = d->gpu;
    lua_pop(L, 1);
  }
  return true;
}

// ---- Arrays that outlive their server ----

struct carried {
  struct lcarried *list;
  int count, capacity;
};

static void forget(struct carried *c, struct arena *arena) {
  for (int i = 0; i < c->count; i++)
    arena_release(arena, c->list[i].host);
  free(c->list);
  *c = (struct carried){0};
}

static enum err carry_out(struct ldevice *d, struct device_storage *ds,
                          struct arena *arena, struct carried *c,
                          struct err_info *e) {
  void *host;
  enum err err = arena_alloc(arena, ds->base.bytes, &host, e);
  if (err)
    return err;
  if (c->count == c->capacity) {
    c->capacity = c->capacity ? 2 * c->capacity : 64;
    c->list = xrealloc(c->list, (size_t)c->capacity * sizeof *c->list);
  }
  c->list[c->count++] = (struct lcarried){ds, host};
  return ds->base.bytes
             ? d->gpu->backend->copy_out(d->gpu, host, ds->base.address,
                                         ds->base.bytes, 0, e)
             : ERR_OK;
}

// Of all that the host has no copy of; what nobody has written comes as it is. Nothing of
// Lua's runs meanwhile: arrays stay what they are. Where there is no room for the next
// one, those before it are waited for as well: the room that they are copied to is
// somebody else's soon.
static enum err carry_all(struct ldevice *d, struct arena *arena,
                          struct carried *c, struct err_info *e) {
  enum err err = ERR_OK;
  for (struct device_storage *ds = d->storages; ds && !err; ds = ds->next)
    if (ldevice_must_carry(d, ds))
      err = carry_out(d, ds, arena, c, e);
  if (c->count) {
    enum err waited = remote_wait(d->gpu, GPU_ALL_STREAMS, err ? NULL : e);
    err = err ? err : waited;
  }
  return err == ERR_UNINITIALISED ? ERR_OK : err;
}

static enum err join(lua_State *L, struct group *g, enum err *why_not,
                     struct err_info *e) {
  struct carried carried[GPU_MAX_RANKS] = {0};
  struct arena *arena = array_arena(L);
  enum err err = ERR_OK;
  for (int i = 0; i < g->size && !err; i++)
    err = carry_all(g->devices[i], arena, &carried[i], e);
  if (!err)
    *why_not = remote_join(g->gpus, g->size, e);
  if (*why_not == ERR_CANCELLED) // what is carried back is not to be stopped
    bind_clear_interrupt();
  for (int i = 0; i < g->size; i++) {
    if (!err)
      ldevice_carry_over(g->devices[i], carried[i].list, carried[i].count);
    forget(&carried[i], arena);
  }
  return err;
}

static int push_not(lua_State *L, const char *why) {
  lua_pushnil(L);
  lua_pushstring(L, why);
  return 2;
}

// What need not be tried, or NULL.
static const char *refuse(const struct group *g) {
  if (g->size < 2)
    return "a single rank has nobody to send to";
  for (int i = 0; i < g->size; i++) {
    if (strncmp(g->devices[i]->id, "cuda:", 5) != 0)
      return "virtual GPUs have no NCCL";
    if (g->devices[i]->far)
      return "a GPU of another machine is one of them";
  }
  return NULL;
}

// A device with an array that another library has, or whose memory is another
// library's: what is carried over would be memory of its own. Or NULL.
static const struct ldevice *find_shared(const struct group *g) {
  for (int i = 0; i < g->size; i++)
    for (const struct device_storage *ds = g->devices[i]->storages; ds;
         ds = ds->next)
      if ((ds->loans || ds->lender) && !ds->base.is_lost && !ds->base.is_freed)
        return g->devices[i];
  return NULL;
}

// What went wrong before is told first: of what an ended group left on each device,
// once for all.
static void finish_all(lua_State *L, struct group *g) {
  struct ldevice *failed = NULL;
  struct err_info first = {0};
  for (int i = 0; i < g->size; i++) {
    struct err_info e = {0};
    lgraph_refuse(L, g->devices[i], "joining a group of devices",
                  "make the group before the capture begins");
    if (remote_wait(g->gpus[i], GPU_ALL_STREAMS, &e) == ERR_OK || failed)
      continue;
    failed = g->devices[i];
    first = e;
  }
  if (failed)
    ldevice_fail(L, failed, &first);
}

int lcomm_l_join(lua_State *L) {
  struct group g;
  struct err_info e = {0};
  enum err why_not = ERR_OK;
  const char *why = take_group(L, 1, &g) ? refuse(&g) : "there are too many";
  if (why)
    return push_not(L, why);
  if (!remote_is_joined(g.gpus, g.size)) {
    const struct ldevice *shared = find_shared(&g);
    if (shared)
      return push_not(
          L, lua_pushfstring(L,
                             "an array on %s is shared with Python's "
                             "libraries, and a device that joins starts anew: "
                             "make the group first, or let go of the array",
                             shared->id));
    finish_all(L, &g);
    if (join(L, &g, &why_not, &e) != ERR_OK)
      bind_error(L, e.code,
                 "%s\n  A device that joins a group starts anew, and its "
                 "arrays are carried over the host: cuda.comm before the "
                 "arrays are made needs no memory for that",
                 e.text);
    if (why_not == ERR_CANCELLED)
      bind_error_info(L, &e);
    if (why_not)
      return push_not(L, e.text);
  }
  lua_pushinteger(L, remote_group_version(g.gpus[0]));
  return 1;
}

// ---- What all ranks do ----

enum { MAX_PARTS = 2 * GPU_MAX_RANKS };

struct plan {
  struct group group;
  bool has_gaps; // in an array, or two that lie over each other
  struct rank_plan {
    struct gpu_collective parts[MAX_PARTS];
    const struct array *uses[MAX_PARTS];
    bool is_written[MAX_PARTS];
    int part_count, use_count;
  } ranks[GPU_MAX_RANKS];
};

static enum gpu_comm_type type_of(lua_State *L, enum dtype t) {
  static const int8_t types[DTYPE_COUNT] = {
      [DTYPE_I8] = GPU_COMM_I8 + 1,   [DTYPE_U8] = GPU_COMM_U8 + 1,
      [DTYPE_I32] = GPU_COMM_I32 + 1, [DTYPE_U32] = GPU_COMM_U32 + 1,
      [DTYPE_I64] = GPU_COMM_I64 + 1, [DTYPE_U64] = GPU_COMM_U64 + 1,
      [DTYPE_F16] = GPU_COMM_F16 + 1, [DTYPE_BF16] = GPU_COMM_BF16 + 1,
      [DTYPE_F32] = GPU_COMM_F32 + 1, [DTYPE_F64] = GPU_COMM_F64 + 1,
  };
  if (!types[t])
    bind_error(L, ERR_UNSUPPORTED, "NCCL reduces no %s", dtype_name(t));
  return (enum gpu_comm_type)(types[t] - 1);
}

// The array on top, which rank r reads or writes; NULL: there is nil. Pops it: the
// caller's table keeps it.
static const struct array *take_array(lua_State *L, struct plan *p, int r,
                                      bool is_written) {
  struct rank_plan *own = &p->ranks[r];
  const struct array *a = lua_isnil(L, -1) ? NULL : array_check(L, -1);
  lua_pop(L, 1);
  if (!a)
    return NULL;
  ldevice_check_storage(L, p->group.devices[r], a->storage, "an array");
  p->has_gaps |= !array_is_contiguous(a);
  luaL_argcheck(L, own->use_count < MAX_PARTS, 2, "parts");
  own->uses[own->use_count] = a;
  own->is_written[own->use_count++] = is_written;
  return a;
}

static gpu_ptr address_of(const struct array *a) {
  return a ? a->storage->address + a->offset : 0;
}

static uint64_t bytes_of(const struct array *a) {
  return (uint64_t)array_count(a) * dtype_bytes(a->dtype);
}

static void add_part(lua_State *L, struct rank_plan *own,
                     struct gpu_collective part) {
  luaL_argcheck(L, own->part_count < MAX_PARTS, 2, "parts");
  own->parts[own->part_count++] = part;
}

// Where one rank fails the others would wait for it on their GPUs.
static void send_plan(lua_State *L, struct plan *p, const char *what) {
  for (int r = 0; r < p->group.size; r++) {
    struct ldevice *d = p->group.devices[r];
    lgraph_refuse(L, d, what, "a graph has no work of a group's");
    lorder_queue(L, d, NULL, what);
    for (int i = 0; i < p->ranks[r].use_count; i++)
      lorder_use_array(L, d, NULL, p->ranks[r].uses[i],
                       p->ranks[r].is_written[i]);
  }
  for (int r = 0; r < p->group.size; r++) {
    struct ldevice *d = p->group.devices[r];
    struct rank_plan *own = &p->ranks[r];
    struct err_info e = {0};
    if (own->part_count &&
        d->gpu->backend->comms->queue(d->gpu, own->parts, own->part_count,
                                      &e) != ERR_OK) {
      remote_end_group(d->gpu);
      ldevice_fail(L, d, &e);
    }
    for (int i = 0; i < own->use_count; i++) {
      lcuda_mark_use(d, own->uses[i]->storage, !own->is_written[i]);
      if (own->is_written[i])
        device_storage_changed(own->uses[i]->storage);
    }
  }
}

// Pushes true; or nil, and nothing is queued, where NCCL cannot take the arrays.
static int end_plan(lua_State *L, struct plan *p, const char *what) {
  if (!p->has_gaps)
    send_plan(L, p, what);
  if (p->has_gaps)
    lua_pushnil(L);
  else
    lua_pushboolean(L, true);
  return 1;
}

// A result may take the place of what it is made of, where the two are alike.
static void note_overlap(struct plan *p, const struct array *from,
                         const struct array *to, bool may_be_same) {
  if (from && to && from->storage == to->storage &&
      !(may_be_same && from->offset == to->offset))
    p->has_gaps = true;
}

// Takes the group at 1; false where it is none (any more): then that is pushed.
static bool begin(lua_State *L, struct plan *p) {
  if (take_group(L, 1, &p->group) &&
      remote_is_joined(p->group.gpus, p->group.size)) {
    p->has_gaps = false;
    for (int r = 0; r < p->group.size; r++)
      p->ranks[r].part_count = p->ranks[r].use_count = 0;
    return true;
  }
  lua_pushboolean(L, false);
  return false;
}

// As many elements as the kind counts, of a type that it knows: what is only moved
// goes as bytes.
static void set_size(lua_State *L, struct gpu_collective *c,
                     const struct array *send, const struct array *out) {
  bool is_reduced = c->kind == GPU_COMM_ALL_REDUCE ||
                    c->kind == GPU_COMM_REDUCE ||
                    c->kind == GPU_COMM_REDUCE_SCATTER;
  const struct array *counted =
      c->kind == GPU_COMM_REDUCE_SCATTER || !send ? out : send;
  c->type = is_reduced ? type_of(L, counted->dtype) : GPU_COMM_U8;
  c->count = is_reduced ? (uint64_t)array_count(counted) : bytes_of(counted);
}

// Programs reach this by a comm's fields: what NCCL reads and writes lies in the arrays,
// and all ranks do the same.
static void check_sizes(lua_State *L, const struct plan *p,
                        const struct gpu_collective *c,
                        const struct array *send, const struct array *out) {
  uint64_t ranks = (uint64_t)p->group.size;
  const struct gpu_collective *first = &p->ranks[0].parts[0];
  bool is_alike = !p->ranks[0].part_count ||
                  (c->type == first->type && c->count == first->count);
  luaL_argcheck(L, is_alike, 5, "the ranks' sizes differ");
  if (!send || !out)
    return;
  uint64_t in = bytes_of(send), room = bytes_of(out);
  bool fits = c->kind == GPU_COMM_ALL_GATHER       ? room >= ranks * in
              : c->kind == GPU_COMM_REDUCE_SCATTER ? in >= ranks * room
                                                   : room >= in;
  luaL_argcheck(L, fits, 6, "a result has no room");
}

int lcomm_l_queue(lua_State *L) {
  static const char *const kinds[] = {"all_reduce",     "reduce",
                                      "broadcast",      "all_gather",
                                      "reduce_scatter", NULL};
  static const char *const ops[] = {"sum", "prod", "max", "min", "avg", NULL};
  struct plan p;
  struct gpu_collective c = {0};
  c.kind = (uint32_t)luaL_checkoption(L, 2, NULL, kinds);
  c.op = (uint32_t)luaL_checkoption(L, 3, "sum", ops);
  c.peer = (int32_t)luaL_optinteger(L, 4, 0);
  luaL_checktype(L, 5, LUA_TTABLE);
  luaL_checktype(L, 6, LUA_TTABLE);
  if (!begin(L, &p))
    return 1;
  for (int r = 0; r < p.group.size; r++) {
    lua_rawgeti(L, 5, r + 1);
    const struct array *send = take_array(L, &p, r, false);
    lua_rawgeti(L, 6, r + 1);
    const struct array *out = take_array(L, &p, r, true);
    luaL_argcheck(L, send || out, 5, "sends");
    note_overlap(&p, send, out,
                 c.kind != GPU_COMM_ALL_GATHER &&
                     c.kind != GPU_COMM_REDUCE_SCATTER);
    c.from = address_of(send);
    c.to = address_of(out);
    set_size(L, &c, send, out);
    check_sizes(L, &p, &c, send, out);
    add_part(L, &p.ranks[r], c);
  }
  return end_plan(L, &p, kinds[c.kind]);
}

// Field `key` of the pair on top, a rank.
static int take_rank(lua_State *L, const struct plan *p, int key) {
  lua_rawgeti(L, -1, key);
  lua_Integer r = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  luaL_argcheck(L, r >= 0 && r < p->group.size, 2, "rank");
  return (int)r;
}

int lcomm_l_pairs(lua_State *L) {
  struct plan p;
  luaL_checktype(L, 2, LUA_TTABLE);
  if (!begin(L, &p))
    return 1;
  lua_Integer count = luaL_len(L, 2);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 2, i); // [..., pair]
    int from = take_rank(L, &p, 1), to = take_rank(L, &p, 3);
    lua_rawgeti(L, -1, 2);
    const struct array *x = take_array(L, &p, from, false);
    lua_rawgeti(L, -1, 4);
    const struct array *out = take_array(L, &p, to, true);
    luaL_argcheck(L, x && out && bytes_of(x) == bytes_of(out), 2, "pairs");
    note_overlap(&p, x, out, false);
    add_part(L, &p.ranks[from],
             (struct gpu_collective){.from = address_of(x),
                                     .count = bytes_of(x),
                                     .kind = GPU_COMM_SEND,
                                     .type = GPU_COMM_U8,
                                     .peer = to});
    add_part(L, &p.ranks[to],
             (struct gpu_collective){.to = address_of(out),
                                     .count = bytes_of(x),
                                     .kind = GPU_COMM_RECEIVE,
                                     .type = GPU_COMM_U8,
                                     .peer = from});
    lua_pop(L, 1);
  }
  return end_plan(L, &p, "send");
}

int lcomm_l_array(lua_State *L) {
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  struct ldevice *d = lcuda_open_device(L, luaL_checkstring(L, 1));
  enum dtype t = array_check_dtype(L, 2, DTYPE_F64);
  int ndim = array_check_shape(L, 3, "cuda.comm", shape);
  size_t bytes = dtype_bytes(t);
  for (int i = 0; i < ndim; i++)
    bytes *= (size_t)shape[i];
  struct device_storage *ds =
      lua_toboolean(L, 4)
          ? ldevice_alloc_pooled(L, d, bytes)
          : ldevice_alloc(L, d, bytes, lcuda_alloc_flags(d->owner));
  device_storage_changed(&ds->base); // the group writes it
  array_set_strides(strides, t, ndim, shape);
  array_push_view(L, &ds->base, t, ndim, shape, strides);
  storage_unref(&ds->base); // the array holds its own
  return 1;
}

int lcuda_open_peer(lua_State *L) {
  lua_pushcfunction(L, l_memcpy_peer);
  lua_setfield(L, -2, "memcpy_peer");
  return 0;
}

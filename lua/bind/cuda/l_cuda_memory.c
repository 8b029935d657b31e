// SPDX-License-Identifier: Apache-2.0
// Device storage: making, freeing after the queued work has retired, and the
// twins of host arrays. l_cuda_array.c has the arrays over it.
#include "lua/bind/cuda/l_cuda_memory.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_graph.h"
#include "lua/bind/cuda/l_cuda_peer.h"
#include "lua/bind/cuda/l_cuda_pool.h"
#include "lua/bind/cuda/l_cuda_wait.h"

enum { MIB = 1 << 20, RETIRED_AT_ONCE = 64 };

// ---- Retirement ----

static void retire(struct ldevice *d, struct retired entry) {
  if (d->retired_count == d->retired_capacity) {
    d->retired_capacity = d->retired_capacity ? 2 * d->retired_capacity : 64;
    d->retired = xrealloc(d->retired,
                          (size_t)d->retired_capacity * sizeof d->retired[0]);
  }
  d->retired[d->retired_count++] = entry;
}

void ldevice_hold(struct ldevice *d, struct storage *held) {
  retire(d, (struct retired){.seq = remote_last_seq(d->gpu),
                             .generation = d->generation,
                             .held = storage_ref(held)});
  if (d->retired_count > RETIRED_AT_ONCE)
    ldevice_drain(d);
}

void ldevice_drain(struct ldevice *d) {
  if (d->retired_count == 0)
    return;
  uint64_t done = remote_done_seq(d->gpu);
  // Dropping a reference may retire more, so the list is taken first.
  struct retired *list = d->retired;
  int count = d->retired_count;
  d->retired = NULL;
  d->retired_count = d->retired_capacity = 0;
  for (int i = 0; i < count; i++) {
    bool is_stale = list[i].generation != d->generation;
    if (!is_stale && list[i].seq > done) {
      retire(d, list[i]);
      continue;
    }
    struct err_info e;
    // A server that died meanwhile has freed the block already.
    if (list[i].address && !is_stale && list[i].is_pooled)
      lpool_give(d, list[i].address, list[i].bytes);
    else if (list[i].address && !is_stale)
      d->gpu->backend->mem_free(d->gpu, list[i].address, &e);
    storage_unref(list[i].held);
  }
  free(list);
}

static uint64_t last_use(const struct storage *s) {
  return s->last_reader > s->last_writer ? s->last_reader : s->last_writer;
}

size_t device_storage_block(const struct device_storage *ds) {
  return ds->pool_bytes ? ds->pool_bytes : ds->base.bytes;
}

static void give_lender_up(struct device_storage *ds) {
  struct ldevice *d = ds->device;
  struct storage *lender = ds->lender;
  ds->lender = NULL;
  if (!d) {
    storage_unref(lender);
    return;
  }
  retire(d, (struct retired){.seq = last_use(&ds->base),
                             .generation = ds->base.generation,
                             .held = lender});
  ldevice_drain(d);
}

// The block goes back once the work that uses it is done.
static void give_block_back(struct device_storage *ds) {
  struct storage *s = &ds->base;
  struct ldevice *d = ds->device;
  lpeer_forget(ds);
  if (ds->lender) {
    give_lender_up(ds);
    return;
  }
  if (!d || ds->is_borrowed || ds->is_given_back || s->is_lost)
    return;
  ds->is_given_back = true;
  if (ds->is_mapped) { // before the host's memory has another use
    struct err_info e;
    if (s->generation == d->generation)
      d->gpu->backend->mem_free(d->gpu, s->address, &e);
    return;
  }
  d->bytes_allocated -= s->bytes;
  if (s->generation != d->generation)
    return;
  if (ds->pool_bytes && !ds->is_elsewhere)
    lpool_give(d, s->address, ds->pool_bytes);
  else
    retire(d, (struct retired){.seq = last_use(s),
                               .generation = s->generation,
                               .address = s->address,
                               .bytes = device_storage_block(ds),
                               .is_pooled = ds->pool_bytes > 0});
}

void device_storage_free(struct device_storage *ds) {
  if (!ds->pins)
    give_block_back(ds);
  ds->base.is_freed = true;
}

void device_storage_pin(struct device_storage *ds) {
  ds->pins++;
}

void device_storage_unpin(struct device_storage *ds) {
  if (--ds->pins == 0 && ds->base.is_freed)
    give_block_back(ds);
}

void device_storage_lend(struct device_storage *ds, bool is_written) {
  device_storage_pin(ds);
  ds->loans++;
  if (is_written)
    device_storage_changed(&ds->base);
}

void device_storage_take_back(struct device_storage *ds) {
  ds->loans--;
  device_storage_unpin(ds);
}

void device_storage_delete(struct device_storage *ds) {
  device_storage_free(ds);
  ds->is_deleted = true;
}

static void release(struct storage *s) {
  struct device_storage *ds = (struct device_storage *)s;
  give_block_back(ds);
  if (ds->prev)
    ds->prev->next = ds->next;
  else if (ds->device)
    ds->device->storages = ds->next;
  if (ds->next)
    ds->next->prev = ds->prev;
  storage_free(s);
}

static const struct storage_ops device_ops = {release};

struct device_storage *device_storage_of(const struct storage *s) {
  return s->ops == &device_ops ? (struct device_storage *)s : NULL;
}

// ---- Making ----

// Device memory is small beside Lua's view of it (a few bytes of userdata), so
// it drives the collector itself.
static void press_collector(lua_State *L, struct ldevice *d, size_t bytes) {
  if (d->bytes_allocated + bytes < 2 * d->bytes_at_collect + 256 * MIB)
    return;
  lua_gc(L, LUA_GCCOLLECT);
  ldevice_drain(d);
  d->bytes_at_collect = d->bytes_allocated;
}

static enum err alloc_once(struct ldevice *d, size_t bytes, unsigned flags,
                           gpu_ptr *out, struct err_info *e) {
  ldevice_drain(d);
  return d->gpu->backend->mem_alloc(d->gpu, bytes ? bytes : 1, flags, out, e);
}

static void drop_twin(struct device_storage *twin) {
  twin->twin_of->twin = NULL;
  storage_unref(&twin->base);
}

static void drop_twins(struct ldevice *d) {
  struct device_storage *next;
  for (struct device_storage *s = d->storages; s; s = next) {
    next = s->next;
    // Those of the launch being prepared stay.
    if (s->twin_of && s->staged != d->stage_serial)
      drop_twin(s);
  }
}

unsigned lcuda_alloc_flags(const struct lcuda *c) {
  return c->is_guarded ? GPU_ALLOC_GUARDED : 0;
}

// Out of memory collects, lets queued work end, drops the twins and tries once
// more; a server that was found dead is replaced.
static gpu_ptr alloc_block(lua_State *L, struct ldevice *d, size_t bytes,
                           unsigned flags) {
  struct err_info e = {0};
  gpu_ptr p = 0;
  enum err err = alloc_once(d, bytes, flags, &p, &e);
  if (err == ERR_DEVICE_LOST && ldevice_revive(L, d))
    err = alloc_once(d, bytes, flags, &p, &e);
  if (err == ERR_NOMEM && lpool_release(d)) {
    ldevice_wait(L, d, GPU_ALL_STREAMS); // frees are work
    err = alloc_once(d, bytes, flags, &p, &e);
  }
  if (err == ERR_NOMEM) {
    lua_gc(L, LUA_GCCOLLECT);
    drop_twins(d);
    lpool_release(d);
    ldevice_wait(L, d, GPU_ALL_STREAMS); // then queues the frees ...
    ldevice_wait(L, d, GPU_ALL_STREAMS); // ... which are work, too
    err = alloc_once(d, bytes, flags, &p, &e);
  }
  if (err != ERR_OK)
    ldevice_fail(L, d, &e);
  ldevice_sync(d);
  return p;
}

static struct device_storage *new_storage(struct ldevice *d, size_t bytes,
                                          gpu_ptr address) {
  struct device_storage *ds = xcalloc(1, sizeof *ds);
  ds->base.refs = 1; // storage_free frees the whole: `base` comes first
  ds->base.bytes = bytes;
  ds->base.device = d->gpu;
  ds->base.address = address;
  ds->base.generation = d->generation;
  ds->base.ops = &device_ops;
  ds->known_until = UINT64_MAX;
  ds->device = d;
  ds->next = d->storages;
  if (ds->next)
    ds->next->prev = ds;
  d->storages = ds;
  return ds;
}

static void refuse_in_capture(lua_State *L, struct ldevice *d) {
  lgraph_refuse(L, d, "memory for an array",
                "a graph asks for none when it runs; make all arrays before "
                "the capture begins");
}

static void count_in(struct ldevice *d, size_t bytes) {
  d->bytes_allocated += bytes;
  if (d->bytes_allocated > d->peak_bytes)
    d->peak_bytes = d->bytes_allocated;
  lcuda_count_alloc(d);
}

struct device_storage *ldevice_alloc(lua_State *L, struct ldevice *d,
                                     size_t bytes, unsigned flags) {
  if (d->owner->is_pooling && lpool_is_used(d))
    return ldevice_alloc_pooled(L, d, bytes);
  refuse_in_capture(L, d);
  lcuda_before_alloc(L, d, bytes);
  press_collector(L, d, bytes);
  gpu_ptr p = alloc_block(L, d, bytes, flags);
  struct device_storage *ds = new_storage(d, bytes, p);
  ds->flags = flags;
  count_in(d, bytes);
  d->allocations++;
  return ds;
}

// A block that the pool lacks: of a slab of many where there is room for that.
static gpu_ptr alloc_for_pool(lua_State *L, struct ldevice *d, size_t block) {
  size_t bytes = lpool_slab_bytes(d, block);
  struct err_info e;
  gpu_ptr p = 0;
  if (bytes <= block || alloc_once(d, bytes, 0, &p, &e) != ERR_OK)
    return alloc_block(L, d, block, 0);
  ldevice_sync(d);
  lpool_add_slab(d, p, bytes, block);
  return lpool_take(L, d, &block, &p) ? p : alloc_block(L, d, block, 0);
}

struct device_storage *ldevice_alloc_pooled(lua_State *L, struct ldevice *d,
                                            size_t bytes) {
  gpu_ptr p = 0;
  size_t block = bytes;
  if (!lpool_is_used(d))
    return ldevice_alloc(L, d, bytes, lcuda_alloc_flags(d->owner));
  refuse_in_capture(L, d);
  lcuda_before_alloc(L, d, bytes);
  if (!lpool_take(L, d, &block, &p)) {
    p = alloc_for_pool(L, d, block);
    d->allocations++;
  }
  struct device_storage *ds = new_storage(d, bytes, p);
  ds->pool_bytes = block;
  count_in(d, bytes);
  return ds;
}

struct device_storage *ldevice_borrow(struct ldevice *d, gpu_ptr address,
                                      size_t bytes) {
  struct device_storage *ds = new_storage(d, bytes, address);
  ds->is_borrowed = true;
  ds->base.was_written = true; // its initial value is the module's
  return ds;
}

struct device_storage *ldevice_adopt(struct ldevice *d, gpu_ptr address,
                                     size_t bytes, struct storage *lender) {
  struct device_storage *ds = ldevice_borrow(d, address, bytes);
  ds->lender = lender;
  ds->known_until = 0; // others write to it
  return ds;
}

void device_storage_changed(struct storage *s) {
  struct device_storage *ds = device_storage_of(s);
  s->was_written = true;
  if (ds)
    ds->known_until = 0;
}

struct device_storage *ldevice_find(struct ldevice *d, gpu_ptr address) {
  for (struct device_storage *s = d->storages; s; s = s->next)
    if (!s->base.is_lost && address >= s->base.address &&
        address - s->base.address < (s->base.bytes ? s->base.bytes : 1))
      return s;
  return NULL;
}

bool ldevice_find_freed(struct ldevice *d, gpu_ptr address,
                        struct lblock *out) {
  for (int i = 0; i < d->retired_count; i++) {
    const struct retired *r = &d->retired[i];
    *out = (struct lblock){r->address, r->bytes};
    if (r->address && r->generation == d->generation &&
        address - r->address < r->bytes)
      return true;
  }
  return lpool_find(d, address, out);
}

// ---- Twins: the device copies of host arrays that kernels were given ----

// The twin of a mapped array: an address for its own memory.
static struct device_storage *map_host(lua_State *L, struct ldevice *d,
                                       struct storage *host) {
  const struct gpu_backend *b = d->gpu->backend;
  struct err_info e = {0};
  gpu_ptr p = 0;
  size_t bytes = host->bytes ? host->bytes : 1;
  enum err err = b->host_map(d->gpu, host->host, bytes, &p, &e);
  if (err == ERR_DEVICE_LOST && ldevice_revive(L, d))
    err = b->host_map(d->gpu, host->host, bytes, &p, &e);
  if (err != ERR_OK)
    ldevice_fail(L, d, &e);
  ldevice_sync(d);
  struct device_storage *ds = new_storage(d, host->bytes, p);
  ds->is_mapped = true;
  ds->base.was_written = true; // by whoever writes to the host's memory
  ds->known_until = 0;
  return ds;
}

struct device_storage *ldevice_twin(lua_State *L, struct ldevice *d,
                                    struct storage *host) {
  unsigned flags = lcuda_alloc_flags(d->owner);
  struct device_storage *twin =
      host->twin ? device_storage_of(host->twin) : NULL;
  if (twin && twin->device == d && !twin->base.is_lost &&
      twin->is_mapped == host->is_mapped &&
      (twin->is_mapped || twin->flags == flags)) {
    twin->staged = d->stage_serial;
    return twin;
  }
  if (twin)
    drop_twin(twin);
  twin = host->is_mapped ? map_host(L, d, host)
                         : ldevice_alloc(L, d, host->bytes, flags);
  twin->twin_of = host;
  twin->staged = d->stage_serial;
  twin->base.copied_version = host->version - 1; // nothing copied yet
  host->twin = &twin->base;
  return twin;
}

// ---- Checks ----

void ldevice_check_storage(lua_State *L, struct ldevice *d,
                           const struct storage *s, const char *what) {
  const struct device_storage *ds = device_storage_of(s);
  if (ds && ds->is_deleted)
    bind_error(L, ERR_USE_AFTER_FREE,
               "RuntimeError: Array has been deleted: %s was donated "
               "(donate_argnums) to a jitted function, which took its memory; "
               "use the function's result in its place, or do not donate it",
               what);
  if (s->is_freed)
    bind_error(L, ERR_USE_AFTER_FREE, "%s was freed with :free()", what);
  if (s->is_lost || !ds || !ds->device)
    bind_error(L, ERR_DEVICE_LOST,
               "%s was lost when the GPU was reset: a kernel had written to "
               "it, so no copy of it was left; copy it to the device again",
               what);
  if (ds->device != d)
    bind_error(L, ERR_ARGUMENT,
               "%s lives on %s, and this runs on %s: cuda.select(\"%s\"), or "
               "copy it over with :to(\"%s\")",
               what, ds->device->id, d->id, ds->device->id, d->id);
}

// SPDX-License-Identifier: Apache-2.0
// Freed device memory that jax's next arrays take, so that a call of a compiled
// function asks the device for nothing.
//
// A block comes back as soon as its last array is gone: all its users are on
// the default stream, where what uses it next stands behind them. Blocks are
// kept by size class, eight to a power of two, so at most an eighth is unused.
// A checked device keeps nothing: there each array is an allocation of its own,
// whose bounds and whose end the checker knows.
#include <lauxlib.h>
#include <stdlib.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/l_cuda.h"

#define MIB ((uint64_t)1 << 20)

enum { LEAST_EXPONENT = 9, STEP_BITS = 3 }; // from 512 bytes up

struct pool_block {
  struct pool_block *next;
  gpu_ptr address;
};

// The class of a size; `*bytes` becomes that of its blocks.
static int class_of(size_t *bytes) {
  size_t n = *bytes;
  if (n <= (size_t)1 << LEAST_EXPONENT) {
    *bytes = (size_t)1 << LEAST_EXPONENT;
    return 0;
  }
  int e = 63 - __builtin_clzll(n - 1);
  int shift = e - STEP_BITS;
  size_t steps = (n + ((size_t)1 << shift) - 1) >> shift; // 9 to 16
  *bytes = steps << shift;
  return ((e - LEAST_EXPONENT) << STEP_BITS) + (int)steps - (1 << STEP_BITS);
}

bool lpool_is_used(const struct ldevice *d) {
  return !d->info.is_checked || !d->owner->is_checked;
}

static bool take(struct lpool *p, int class, size_t bytes, gpu_ptr *out) {
  struct pool_block *b = p->blocks[class];
  if (!b)
    return false;
  *out = b->address;
  p->blocks[class] = b->next;
  free(b);
  p->cached_bytes -= bytes;
  return true;
}

static void forget_old(struct ldevice *d) {
  struct lpool *p = &d->pool;
  if (p->generation != d->generation)
    lpool_forget(d);
  p->generation = d->generation;
}

// Dead arrays are found by Lua's collector alone. It runs when as much was
// handed out as is worth its time.
static uint64_t collect_after(const struct ldevice *d) {
  uint64_t share = d->info.total_bytes / 64;
  return share < 256 * MIB    ? 256 * MIB
         : share > 2048 * MIB ? 2048 * MIB
                              : share;
}

bool lpool_take(lua_State *L, struct ldevice *d, size_t *bytes, gpu_ptr *out) {
  struct lpool *p = &d->pool;
  int class = class_of(bytes);
  if (class >= POOL_CLASSES)
    return false;
  forget_old(d);
  bool is_found = take(p, class, *bytes, out);
  if (!is_found && p->handed_out > collect_after(d)) {
    lua_gc(L, LUA_GCCOLLECT);
    ldevice_drain(d);
    p->handed_out = 0;
    is_found = take(p, class, *bytes, out);
  }
  p->handed_out += *bytes;
  p->reused += is_found;
  return is_found;
}

void lpool_give(struct ldevice *d, gpu_ptr address, size_t bytes) {
  forget_old(d);
  struct pool_block *b = xmalloc(sizeof *b);
  int class = class_of(&bytes);
  *b = (struct pool_block){d->pool.blocks[class], address};
  d->pool.blocks[class] = b;
  d->pool.cached_bytes += bytes;
}

void lpool_forget(struct ldevice *d) {
  for (int i = 0; i < POOL_CLASSES; i++)
    while (d->pool.blocks[i]) {
      struct pool_block *b = d->pool.blocks[i];
      d->pool.blocks[i] = b->next;
      free(b);
    }
  d->pool.cached_bytes = 0;
}

bool lpool_release(struct ldevice *d) {
  struct err_info e;
  forget_old(d);
  if (d->pool.cached_bytes == 0)
    return false;
  for (int i = 0; i < POOL_CLASSES; i++)
    for (struct pool_block *b = d->pool.blocks[i]; b; b = b->next)
      d->gpu->backend->mem_free(d->gpu, b->address, &e);
  lpool_forget(d);
  return true;
}

// ---- In Lua ----

static void set_bytes(lua_State *L, const char *key, uint64_t n) {
  lua_pushinteger(L, (lua_Integer)n);
  lua_setfield(L, -2, key);
}

static int l_memory_stats(lua_State *L) {
  struct ldevice *d = lcuda_device(L);
  ldevice_drain(d);
  forget_old(d);
  lua_createtable(L, 0, 5);
  set_bytes(L, "bytes_in_use", d->bytes_allocated);
  set_bytes(L, "peak_bytes_in_use", d->peak_bytes);
  set_bytes(L, "bytes_cached", d->pool.cached_bytes);
  set_bytes(L, "num_allocs", d->allocations);
  set_bytes(L, "num_reuses", d->pool.reused);
  return 1;
}

static int l_empty_cache(lua_State *L) {
  struct ldevice *d = lcuda_device(L);
  lua_gc(L, LUA_GCCOLLECT);
  ldevice_drain(d);
  lpool_release(d);
  return 0;
}

int lcuda_open_pool(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"memory_stats", l_memory_stats},
      {"empty_cache", l_empty_cache},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
  return 0;
}

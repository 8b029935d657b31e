// SPDX-License-Identifier: Apache-2.0
// Freed device memory that jax's next arrays take, so that a call of a compiled
// function asks the device for nothing.
//
// A block comes back as soon as its last array is gone: all its users are on
// the default stream, where what uses it next stands behind them. Blocks are
// kept by size class, eight to a power of two, so at most an eighth is unused.
// Asking the device is a trip to its server, so small blocks are asked for many
// at a time, as a slab, and cut off it one after the other.
// A checked device keeps nothing: there each array is an allocation of its own,
// whose bounds and whose end the checker knows.
#include "lua/bind/cuda/l_cuda_pool.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_memory.h"

#define MIB ((uint64_t)1 << 20)

enum { LEAST_EXPONENT = 9, STEP_BITS = 3 }; // from 512 bytes up

enum { SLAB_BLOCKS = 16 };   // of a slab that is larger than SMALL_SLAB
#define SMALL_SLAB (2 * MIB) // what drivers hand out at least
#define MOST_SLAB  (32 * MIB)

struct pool_block {
  struct pool_block *next;
  gpu_ptr address;
};

// One piece of device memory, cut into blocks of one class. Those from `cut` on
// nobody had yet.
struct pool_slab {
  gpu_ptr address, cut, end; // `end` is a whole number of blocks further
  int class;
  size_t free_bytes; // while the pool is released
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

static size_t bytes_of(int class) {
  int steps = (class & ((1 << STEP_BITS) - 1)) + (1 << STEP_BITS);
  return (size_t)steps << ((class >> STEP_BITS) + LEAST_EXPONENT - STEP_BITS);
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

// A block that nobody had yet. The newest slab of a class is the last one.
static bool cut(struct lpool *p, int class, size_t bytes, gpu_ptr *out) {
  int i = p->newest[class] - 1;
  if (i < 0 || p->slabs[i].cut == p->slabs[i].end)
    return false;
  *out = p->slabs[i].cut;
  p->slabs[i].cut += bytes;
  p->cached_bytes -= bytes;
  return true;
}

static void forget_old(struct ldevice *d) {
  struct lpool *p = &d->pool;
  if (p->generation != d->generation)
    lpool_forget(d);
  p->generation = d->generation;
}

// ---- Finding dead arrays ----

// Lua's collector alone finds them. Most are young: the last result of a loop,
// say, which nobody needs once there is a newer one. Looking through the young
// ones takes microseconds in Lua's generational mode, so it is done after a few
// blocks already: the next results then lie where the last did, in the GPU's
// cache. Looking through everything takes a millisecond, and is done when the
// pool has grown by as much as is worth that.
enum { YOUNG_BLOCKS = 64 };
#define YOUNG_BYTES (16 * MIB)

static uint64_t collect_after(const struct ldevice *d) {
  uint64_t share = d->info.total_bytes / 64;
  return share < 256 * MIB    ? 256 * MIB
         : share > 2048 * MIB ? 2048 * MIB
                              : share;
}

static void collect_all(lua_State *L, struct lpool *p) {
  lua_gc(L, LUA_GCCOLLECT);
  p->heap_kib = lua_gc(L, LUA_GCCOUNT);
  p->grown_bytes = p->young_bytes = p->young_blocks = 0;
}

// What dies old stays until everything is looked at. Lua would do so when its
// heap has doubled, but starts to count anew with each step that it is asked
// for.
static void collect_young(lua_State *L, struct lpool *p) {
  if (!p->has_generations) {
    lua_gc(L, LUA_GCGEN, 0, 0); // looks at everything
    p->heap_kib = lua_gc(L, LUA_GCCOUNT);
    p->has_generations = true;
  } else {
    lua_gc(L, LUA_GCSTEP, 0);
  }
  p->young_bytes = p->young_blocks = 0;
  if (lua_gc(L, LUA_GCCOUNT) > 2 * p->heap_kib) {
    // Dead arrays have finalisers: found dead now, they go with the next look,
    // and would count as alive in heap_kib.
    lua_gc(L, LUA_GCCOLLECT);
    collect_all(L, p);
  }
}

static void collect(lua_State *L, struct ldevice *d) {
  struct lpool *p = &d->pool;
  if (p->grown_bytes > collect_after(d))
    collect_all(L, p);
  else if (p->young_bytes >= YOUNG_BYTES || p->young_blocks >= YOUNG_BLOCKS)
    collect_young(L, p);
  ldevice_drain(d);
}

// ---- Taking ----

bool lpool_take(lua_State *L, struct ldevice *d, size_t *bytes, gpu_ptr *out) {
  struct lpool *p = &d->pool;
  int class = class_of(bytes);
  if (class >= POOL_CLASSES)
    return false;
  forget_old(d);
  bool is_found = take(p, class, *bytes, out);
  if (!is_found) {
    collect(L, d);
    is_found = take(p, class, *bytes, out);
  }
  p->young_bytes += *bytes;
  p->young_blocks++;
  p->reused += is_found;
  if (is_found)
    return true;
  p->grown_bytes += *bytes;
  return cut(p, class, *bytes, out);
}

size_t lpool_slab_bytes(const struct ldevice *d, size_t block) {
  uint64_t most = d->info.total_bytes / 256;
  uint64_t slab = SLAB_BLOCKS * (uint64_t)block;
  most = most < MOST_SLAB ? most : MOST_SLAB;
  slab = slab > SMALL_SLAB ? slab : SMALL_SLAB;
  slab = slab < most ? slab : most;
  return (size_t)(slab - slab % block);
}

void lpool_add_slab(struct ldevice *d, gpu_ptr address, size_t bytes,
                    size_t block) {
  struct lpool *p = &d->pool;
  forget_old(d);
  if (p->slab_count == p->slab_capacity) {
    p->slab_capacity = 2 * p->slab_capacity + 16;
    p->slabs = xrealloc(p->slabs, (size_t)p->slab_capacity * sizeof *p->slabs);
  }
  int class = class_of(&block);
  p->slabs[p->slab_count++] = (struct pool_slab){.address = address,
                                                 .cut = address,
                                                 .end = address + bytes,
                                                 .class = class};
  p->newest[class] = p->slab_count;
  p->cached_bytes += bytes;
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
  free(d->pool.slabs);
  d->pool.slabs = NULL;
  d->pool.slab_count = d->pool.slab_capacity = 0;
  memset(d->pool.newest, 0, sizeof d->pool.newest);
  d->pool.cached_bytes = 0;
}

bool lpool_find(struct ldevice *d, gpu_ptr address, struct lblock *out) {
  forget_old(d);
  for (int class = 0; class < POOL_CLASSES; class ++)
    for (struct pool_block *b = d->pool.blocks[class]; b; b = b->next) {
      *out = (struct lblock){b->address, bytes_of(class)};
      if (address - b->address < out->bytes)
        return true;
    }
  return false;
}

// ---- Giving back to the device ----

static int by_address(const void *a, const void *b) {
  const struct pool_slab *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

// The slab that a block is of, or NULL. The slabs are sorted.
static struct pool_slab *slab_of(struct lpool *p, gpu_ptr address) {
  int low = 0, high = p->slab_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (p->slabs[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_in = low < p->slab_count && p->slabs[low].address <= address;
  return is_in ? &p->slabs[low] : NULL;
}

static bool is_idle(const struct pool_slab *s) {
  return s->free_bytes == s->end - s->address;
}

static void count_free(struct lpool *p) {
  for (int i = 0; i < p->slab_count; i++)
    p->slabs[i].free_bytes = p->slabs[i].end - p->slabs[i].cut;
  for (int class = 0; class < POOL_CLASSES; class ++)
    for (struct pool_block *b = p->blocks[class]; b; b = b->next) {
      struct pool_slab *s = slab_of(p, b->address);
      if (s)
        s->free_bytes += bytes_of(class);
    }
}

// Frees the blocks of a class that are memory of their own; drops those of
// idle slabs. Gives how many bytes.
static uint64_t release_blocks(struct ldevice *d, int class) {
  uint64_t released = 0;
  struct pool_block **link = &d->pool.blocks[class], *b;
  while ((b = *link)) {
    struct pool_slab *s = slab_of(&d->pool, b->address);
    struct err_info e;
    if (s && !is_idle(s)) {
      link = &b->next;
      continue;
    }
    if (!s) {
      d->gpu->backend->mem_free(d->gpu, b->address, &e);
      released += bytes_of(class);
    }
    *link = b->next;
    free(b);
  }
  return released;
}

static uint64_t release_slabs(struct ldevice *d) {
  struct lpool *p = &d->pool;
  struct err_info e;
  uint64_t released = 0;
  int kept = 0;
  memset(p->newest, 0, sizeof p->newest);
  for (int i = 0; i < p->slab_count; i++) {
    struct pool_slab *s = &p->slabs[i];
    if (is_idle(s)) {
      d->gpu->backend->mem_free(d->gpu, s->address, &e);
      released += s->free_bytes;
      continue;
    }
    p->slabs[kept++] = *s;
    if (s->cut < s->end) // one of a class at most
      p->newest[s->class] = kept;
  }
  p->slab_count = kept;
  return released;
}

bool lpool_release(struct ldevice *d) {
  struct lpool *p = &d->pool;
  forget_old(d);
  if (p->cached_bytes == 0)
    return false;
  if (p->slab_count)
    qsort(p->slabs, (size_t)p->slab_count, sizeof *p->slabs, by_address);
  count_free(p);
  uint64_t released = 0;
  for (int class = 0; class < POOL_CLASSES; class ++)
    released += release_blocks(d, class);
  released += release_slabs(d);
  p->cached_bytes -= released;
  return released > 0;
}

// ---- In Lua ----

static int l_memory_stats(lua_State *L) {
  struct ldevice *d = lcuda_device(L);
  ldevice_drain(d);
  forget_old(d);
  lua_createtable(L, 0, 6);
  bind_set_integer(L, "bytes_in_use", d->bytes_allocated);
  bind_set_integer(L, "peak_bytes_in_use", d->peak_bytes);
  bind_set_integer(L, "bytes_cached", d->pool.cached_bytes);
  bind_set_integer(L, "num_allocs", d->allocations);
  bind_set_integer(L, "num_reuses", d->pool.reused);
  bind_set_integer(L, "num_commands", remote_last_seq(d->gpu));
  return 1;
}

static int l_empty_cache(lua_State *L) {
  struct ldevice *d = lcuda_device(L);
  lua_gc(L, LUA_GCCOLLECT);
  ldevice_drain(d);
  lpool_release(d);
  return 0;
}

int lcuda_l_pooled(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  bool was = c->is_pooling;
  c->is_pooling = true;
  int rc = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  c->is_pooling = was;
  return rc ? lua_error(L) : lua_gettop(L);
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

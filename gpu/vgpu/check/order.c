// SPDX-License-Identifier: Apache-2.0
// What comes before what.
//
// Theory of operation. A block has a clock that ticks at each of its barriers,
// bar.warp.syncs and fences; an access is stamped with it. Everything before
// the block's last barrier comes before what its threads do now, everything of
// a warp before its last bar.warp.sync before what that warp does now.
//
// Across all that, order is passed on through memory: a thread that wrote,
// executed a fence and then did a volatile or atomic write has released what it
// wrote; who reads that place with a volatile or atomic read has acquired it.
// Releases are numbered. A place remembers the number of the last release to
// it, a thread the highest number that it has acquired, and for each thread,
// warp and block that ever released, a short list says which of its clocks were
// out by which number. An access is known to a thread when it was released at a
// number that the thread has acquired. The numbers are Lamport's clocks in
// place of vectors: nothing that is ordered is called a race, and a race that
// chance has put behind an unrelated release may be missed.
//
// A block's fence (membar.cta) releases to its own block only. Reads acquire
// without a fence behind them, since locks and flags are written that way in
// every textbook; where a launch is counted, such reads are (unfenced_reads): a
// barrier hands on what one thread has heard, and is a fence for nobody. What
// the write or the read is strong for counts as well: one of its block only
// (atom.cta, ld.acquire.cta) hands on nothing between blocks, whatever fence
// stands before it.
//
// PTX ISA: "Memory Consistency Model".
#include "gpu/vgpu/check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/memory/memory.h"

// ---- A map from 64-bit keys to small records ----

struct map {
  uint8_t *slots; // each: key (never 0), then the record
  uint32_t count, size, bytes;
};

static uint8_t *map_slot(const struct map *m, uint64_t key) {
  uint32_t h = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32);
  for (;; h++) {
    uint8_t *s = m->slots + (size_t)(h & (m->size - 1)) * m->bytes;
    uint64_t k;
    memcpy(&k, s, sizeof k);
    if (k == key || !k)
      return s;
  }
}

static void *map_find(const struct map *m, uint64_t key) {
  uint64_t k = 0;
  uint8_t *s = m->size ? map_slot(m, key) : NULL;
  if (s)
    memcpy(&k, s, sizeof k);
  return k ? s + sizeof k : NULL;
}

static void *map_add(struct map *m, uint64_t key) {
  void *known = map_find(m, key);
  if (known)
    return known;
  if (m->count >= m->size / 4 * 3) {
    struct map old = *m;
    m->size = old.size ? old.size * 2 : 64;
    m->slots = xcalloc(m->size, m->bytes);
    for (uint32_t n = 0; n < old.size; n++) {
      const uint8_t *s = old.slots + (size_t)n * m->bytes;
      uint64_t k;
      memcpy(&k, s, sizeof k);
      if (k)
        memcpy(map_slot(m, k), s, m->bytes);
    }
    free(old.slots);
  }
  uint8_t *s = map_slot(m, key);
  uint64_t k;
  memcpy(&k, s, sizeof k);
  m->count += !k;
  memcpy(s, &key, sizeof key);
  return s + sizeof key;
}

// ---- What was released ----

enum { RELEASES = 6 };

// Accesses of a thread, warp or block with a lower clock are out by `number`.
struct releases {
  uint32_t count;
  struct {
    uint32_t number, clock;
  } at[RELEASES];
};

// A place that was written by volatile or atomic writes.
struct vg_tag {
  uint32_t any;      // the last of them
  uint32_t to_all;   // what reading it acquires, 0: nothing
  uint32_t to_block; // the same for threads of `block`
  uint32_t block;
};

struct vg_order {
  uint32_t number;
  struct map places, releases;
};

// What one thread has done and knows.
struct vg_known {
  uint32_t fence, fence_all; // clock of its last fence, of its last wide one
  uint32_t acquired, seen;
  uint32_t held; // of `acquired`, what it had at its last fence
};

struct vg_order *vg_order_new(void) {
  struct vg_order *o = xcalloc(1, sizeof *o);
  o->places.bytes = 8 + sizeof(struct vg_tag);
  o->releases.bytes = 8 + sizeof(struct releases);
  return o;
}

static void map_clear(struct map *m) {
  free(m->slots);
  m->slots = NULL;
  m->count = m->size = 0;
}

static void clear_order(struct vg_order *o) {
  if (!o->number)
    return;
  o->number = 0;
  map_clear(&o->places);
  map_clear(&o->releases);
}

void vg_order_free(struct vg_order *o) {
  if (!o)
    return;
  clear_order(o);
  free(o);
}

enum { KEY_WARP = 1 << 10, KEY_BLOCK = 1 << 11 };

// The tag of a place. Words of a block's shared memory, which all its threads
// may count in, have theirs in a table of the block's own.
static struct vg_tag *shared_tag(struct vg_block *b, uint64_t offset) {
  if (offset & 3 || offset >= b->shared_bytes)
    return NULL;
  if (!b->tags)
    b->tags = xcalloc(b->shared_bytes / 4 + 1, sizeof *b->tags);
  return &b->tags[offset / 4];
}

static uint64_t release_key(uint64_t block, uint32_t who) {
  return (block + 1) << 12 | who;
}

static uint64_t place_key(const struct vg_warp *w, uint64_t address) {
  if (address >> VG_SLOT_BITS != VG_SLOT_SHARED)
    return address;
  return address ^ (w->block->number + 1) << (VG_SLOT_BITS + 8);
}

// Of a generic address; NULL where nothing was told and nothing is to be.
static struct vg_tag *tag_of(const struct vg_warp *w, uint64_t address,
                             bool is_new) {
  struct vg_block *b = w->block;
  if (address >> VG_SLOT_BITS == VG_SLOT_SHARED) {
    struct vg_tag *t = shared_tag(b, address - VG_WINDOW(VG_SLOT_SHARED));
    if (t)
      return t;
  }
  uint64_t key = place_key(w, address);
  if (!key)
    return NULL;
  return is_new ? map_add(&b->order->places, key)
                : map_find(&b->order->places, key);
}

static void add_release(struct vg_order *o, uint64_t block, uint32_t who,
                        uint32_t clock) {
  if (!clock)
    return;
  struct releases *r = map_add(&o->releases, release_key(block, who));
  if (r->count && r->at[r->count - 1].clock >= clock)
    return; // it was out before
  if (r->count == RELEASES) {
    // The two oldest become one that claims more.
    r->at[0].clock = r->at[1].clock;
    memmove(&r->at[1], &r->at[2], (RELEASES - 2) * sizeof r->at[0]);
    r->count--;
  }
  r->at[r->count].number = o->number;
  r->at[r->count++].clock = clock;
}

static bool was_released(const struct vg_order *o, uint64_t block, uint32_t who,
                         uint32_t clock, uint32_t acquired) {
  const struct releases *r = map_find(&o->releases, release_key(block, who));
  for (uint32_t n = 0; r && n < r->count; n++)
    if (r->at[n].number <= acquired && r->at[n].clock > clock)
      return true;
  return false;
}

// ---- Within a block ----

static uint32_t later(uint32_t x, uint32_t y) {
  return x > y ? x : y;
}

static struct vg_known *known_of(struct vg_block *b, uint32_t thread) {
  if (!b->known)
    b->known = xcalloc((size_t)b->warp_count * VG_LANES, sizeof *b->known);
  return &b->known[thread];
}

void vg_order_begin(struct vg_block *b) {
  if (!b->order)
    return;
  b->barrier_clock = ++b->clock;
  b->fenced = b->fenced_all = 0;
  b->acquired = b->seen = b->held = 0;
  if (b->known)
    memset(b->known, 0, (size_t)b->warp_count * VG_LANES * sizeof *b->known);
  if (b->tags)
    memset(b->tags, 0, (b->shared_bytes / 4 + 1) * sizeof *b->tags);
  for (uint32_t n = 0; n < b->warp_count; n++) {
    struct vg_warp *w = &b->warps[n];
    w->sync_clock = b->clock;
    w->sync_fenced = w->sync_fenced_all = 0;
    free(w->pairs);
    w->pairs = NULL;
  }
  if (b->own_order)
    clear_order(b->own_order);
}

void vg_on_barrier(struct vg_block *b) {
  uint32_t before = b->barrier_clock;
  if (!b->order)
    return;
  b->barrier_clock = ++b->clock;
  for (uint32_t n = 0; n < b->warp_count; n++)
    if (b->warps[n].copies)
      b->warps[n].copies->send_again(&b->warps[n]);
  if (!b->known)
    return;
  for (uint32_t t = 0; t < b->warp_count * VG_LANES; t++) {
    const struct vg_known *k = &b->known[t];
    b->acquired = k->acquired > b->acquired ? k->acquired : b->acquired;
    b->seen = k->seen > b->seen ? k->seen : b->seen;
    b->held = k->held > b->held ? k->held : b->held;
    if (k->fence > before)
      b->fenced = b->clock;
    if (k->fence_all > before)
      b->fenced_all = b->clock;
  }
}

// Some lanes only: each pair of lanes has its own time.
static void sync_some(struct vg_warp *w, vg_mask m) {
  if (!w->pairs)
    w->pairs = xcalloc(VG_LANES, sizeof *w->pairs);
  uint32_t all[VG_LANES] = {0};
  for (vg_mask rest = m; rest; rest &= rest - 1) {
    const uint32_t *row = w->pairs[__builtin_ctz(rest)];
    for (int k = 0; k < VG_LANES; k++)
      all[k] = row[k] > all[k] ? row[k] : all[k];
  }
  for (int k = 0; k < VG_LANES; k++)
    all[k] = m >> k & 1 ? w->block->clock : all[k];
  for (vg_mask rest = m; rest; rest &= rest - 1)
    memcpy(w->pairs[__builtin_ctz(rest)], all, sizeof all);
}

void vg_on_sync(struct vg_warp *w, vg_mask m) {
  struct vg_block *b = w->block;
  uint32_t before = w->sync_clock;
  if (!b->order)
    return;
  b->clock++;
  m &= w->born;
  bool is_whole = !(w->live & ~m);
  if (is_whole)
    w->sync_clock = b->clock;
  else
    sync_some(w, m);
  if (!b->known)
    return;
  struct vg_known *k = &b->known[w->first_thread], max = {0};
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    max.acquired = k[l].acquired > max.acquired ? k[l].acquired : max.acquired;
    max.seen = k[l].seen > max.seen ? k[l].seen : max.seen;
    max.held = k[l].held > max.held ? k[l].held : max.held;
    if (k[l].fence > before)
      w->sync_fenced = b->clock;
    if (k[l].fence_all > before)
      w->sync_fenced_all = b->clock;
  }
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1) {
      k[l].acquired = max.acquired;
      k[l].seen = max.seen;
      k[l].held = max.held;
    }
}

static void fence(struct vg_warp *w, vg_mask m, bool is_wide) {
  struct vg_block *b = w->block;
  struct vg_known *k = known_of(b, w->first_thread);
  b->clock++;
  for (vg_mask rest = m; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    k[l].fence = b->clock;
    if (is_wide) {
      k[l].held = later(b->acquired, k[l].acquired);
      k[l].fence_all = b->clock;
    }
  }
}

void vg_on_fence(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (w->block->order)
    fence(w, m, i->ptx->scope != PTX_CTA);
}

// ---- Through memory ----

static void acquire(struct vg_block *b, struct vg_known *k,
                    const struct vg_tag *t, bool is_wide) {
  k->seen = later(k->seen, t->any);
  if (is_wide)
    k->acquired = later(k->acquired, t->to_all);
  if (t->block == (uint32_t)b->number)
    k->acquired = later(k->acquired, t->to_block);
}

// The last clock by which all of a group was fenced: by the thread itself since
// the group last met, or by one of the others before that.
static uint32_t group_clock(uint32_t met, uint32_t fence, uint32_t fenced) {
  return fence >= met ? met : fenced;
}

static void publish(struct vg_warp *w, int lane, struct vg_tag *t, bool is_rmw,
                    bool is_wide) {
  struct vg_block *b = w->block;
  struct vg_order *o = b->order;
  uint32_t thread = w->first_thread + (uint32_t)lane;
  struct vg_known *k = &b->known[thread];
  k->seen = t->any = ++o->number;
  bool to_block = k->fence || b->fenced || w->sync_fenced;
  bool to_all =
      is_wide && (k->fence_all || b->fenced_all || w->sync_fenced_all);
  if (to_block) {
    add_release(o, b->number, thread, k->fence);
    add_release(o, b->number, KEY_WARP | w->number,
                group_clock(w->sync_clock, k->fence, w->sync_fenced));
    add_release(o, b->number, KEY_BLOCK,
                group_clock(b->barrier_clock, k->fence, b->fenced));
    t->to_block = o->number;
    t->block = (uint32_t)b->number;
  } else if (!is_rmw) {
    t->to_block = 0;
  }
  if (to_all)
    t->to_all = o->number;
  else if (!is_rmw)
    t->to_all = 0;
}

static uint32_t kept_count(const struct vg_order *o) {
  return o->places.count + o->releases.count;
}

void vg_on_strong(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  const uint64_t a[VG_LANES], enum gpu_access access) {
  struct vg_block *b = w->block;
  enum ptx_sem sem = (enum ptx_sem)i->ptx->sem;
  bool is_wide = i->ptx->scope != PTX_CTA;
  if (!b->order)
    return;
  if (access != GPU_READ && (sem == PTX_RELEASE || sem == PTX_ACQ_REL))
    fence(w, m, is_wide);
  vg_charge(w, VG_ORDER_COST * (uint64_t)__builtin_popcount(m));
  struct vg_known *k = known_of(b, w->first_thread);
  uint32_t kept = kept_count(b->order);
  uint64_t window = i->space == PTX_SHARED ? VG_WINDOW(VG_SLOT_SHARED) : 0;
  for (vg_mask rest = m; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    struct vg_tag *t = tag_of(w, a[l] + window, access != GPU_READ);
    if (!t)
      continue;
    if (access != GPU_WRITE)
      acquire(b, &k[l], t, is_wide);
    if (is_wide && (sem == PTX_ACQUIRE || sem == PTX_ACQ_REL))
      k[l].held = k[l].acquired;
    if (access != GPU_READ)
      publish(w, l, t, access == GPU_ATOMIC, is_wide);
  }
  vg_charge(w, VG_PLACE_COST * (uint64_t)(kept_count(b->order) - kept));
}

bool vg_order_has_seen(const struct vg_warp *w, int lane, uint64_t address) {
  const struct vg_block *b = w->block;
  const struct vg_tag *t = b->order ? tag_of(w, address, false) : NULL;
  if (!t || !t->any || !b->known)
    return false;
  return later(b->seen, b->known[w->first_thread + (uint32_t)lane].seen) >=
         t->any;
}

// Was it released by a number that is acquired?
static bool was_told(const struct vg_order *o, const struct vg_use_of *u,
                     uint32_t acquired) {
  uint32_t from = u->thread / VG_LANES;
  return acquired &&
         (was_released(o, u->block, u->thread, u->clock, acquired) ||
          was_released(o, u->block, KEY_WARP | from, u->clock, acquired) ||
          was_released(o, u->block, KEY_BLOCK, u->clock, acquired));
}

bool vg_order_is_after(const struct vg_warp *w, int lane,
                       const struct vg_use_of *u) {
  const struct vg_block *b = w->block;
  uint32_t thread = w->first_thread + (uint32_t)lane;
  uint32_t from = u->thread / VG_LANES;
  if (!u->use)
    return true;
  if (u->block == (uint32_t)b->number) {
    if (u->thread == thread || u->clock < b->barrier_clock)
      return true;
    if (from == w->number &&
        (u->clock < w->sync_clock ||
         (w->pairs && u->clock < w->pairs[lane][u->thread % VG_LANES])))
      return true;
  }
  if (!b->order || !b->order->number || !b->known)
    return false;
  return was_told(b->order, u, later(b->acquired, b->known[thread].acquired));
}

bool vg_order_is_fenced(const struct vg_warp *w, int lane,
                        const struct vg_use_of *u) {
  const struct vg_block *b = w->block;
  uint32_t thread = w->first_thread + (uint32_t)lane;
  if (u->block == (uint32_t)b->number || !b->order || !b->known)
    return true;
  return was_told(b->order, u, later(b->held, b->known[thread].held));
}

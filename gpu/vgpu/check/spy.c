// SPDX-License-Identifier: Apache-2.0
// Is there a race on global memory at all? Asked while blocks run, perhaps in
// parallel on host threads; the answer is the same every time, and errs on the
// side of yes. After a yes the launch is undone and run again, one block at a time,
// where race_global.c says what it was. So what is found never depends on the
// host, and a kernel without races pays little.
//
// Theory of operation. Each host thread notes for its block which thread wrote
// or read each unit since the last barrier; a second thread makes it
// suspicious. When a block has ended, the units that it used are compared with
// those that all earlier blocks used, and added to them. That is one sum for
// each row of units, and adding does not mind the order.
#include "gpu/vgpu/check/spy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/watch.h"
#include "gpu/vgpu/launch.h"

enum { MANY = 0xFFFF };

struct row {
  uint64_t key; // address of its first unit, in rows
  const struct vg_watched *of;
  uint32_t since; // clock of the barrier that the threads below are from
  uint32_t wrote, read, atom; // in the block's whole life
  uint32_t slot;
  uint16_t writer[VG_ROW_UNITS], reader[VG_ROW_UNITS]; // thread + 1, MANY
  uint16_t atomic[VG_ROW_UNITS];
};

struct vg_spy {
  struct row *rows;
  uint32_t count, capacity;
  uint32_t last;   // row that was found last: it is often wanted again
  uint32_t *slots; // index of a row, plus 1
  uint32_t size;
};

void vg_spy_free(struct vg_spy *s) {
  if (!s)
    return;
  free(s->rows);
  free(s->slots);
  free(s);
}

static uint32_t hash(uint64_t key) {
  return (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32);
}

static void grow(struct vg_spy *s) {
  s->size = s->size ? s->size * 2 : 256;
  free(s->slots);
  s->slots = xcalloc(s->size, sizeof *s->slots);
  for (uint32_t n = 0; n < s->count; n++) {
    uint32_t h = hash(s->rows[n].key);
    while (s->slots[h & (s->size - 1)])
      h++;
    s->rows[n].slot = h & (s->size - 1);
    s->slots[s->rows[n].slot] = n + 1;
  }
}

static struct row *find_row(struct vg_spy *s, const struct vg_watched *of,
                            uint64_t key) {
  if (s->last < s->count && s->rows[s->last].key == key)
    return &s->rows[s->last];
  if (s->count * 2 >= s->size)
    grow(s);
  uint32_t h = hash(key);
  for (; s->slots[h & (s->size - 1)]; h++) {
    struct row *r = &s->rows[s->slots[h & (s->size - 1)] - 1];
    if (r->key == key) {
      s->last = (uint32_t)(r - s->rows);
      return r;
    }
  }
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? s->capacity * 2 : 128;
    s->rows = xrealloc(s->rows, sizeof *s->rows * s->capacity);
  }
  s->last = s->count++;
  struct row *r = &s->rows[s->last];
  memset(r, 0, sizeof *r);
  r->key = key;
  r->of = of;
  r->slot = h & (s->size - 1);
  s->slots[r->slot] = s->count;
  return r;
}

// Units [a, b) of a row, by thread `t` of unit `a` and, in a row, its
// successors. Says whether any thread but these used them, too.
static unsigned add_write(struct row *r, uint32_t a, uint32_t b, uint32_t t,
                          uint32_t step) {
  unsigned bad = 0;
  for (uint32_t k = a; k < b; k++) {
    uint16_t x = (uint16_t)(t + (k - a) * step);
    bad |= (unsigned)(r->writer[k] != 0) & (r->writer[k] != x);
    bad |= (unsigned)(r->reader[k] != 0) & (r->reader[k] != x);
    bad |= r->atomic[k];
    r->writer[k] = x;
  }
  return bad;
}

static unsigned add_read(struct row *r, uint32_t a, uint32_t b, uint32_t t,
                         uint32_t step) {
  unsigned bad = 0;
  for (uint32_t k = a; k < b; k++) {
    uint16_t x = (uint16_t)(t + (k - a) * step);
    bad |= (unsigned)(r->writer[k] != 0) & (r->writer[k] != x);
    bad |= r->atomic[k];
    r->reader[k] = r->reader[k] == 0 || r->reader[k] == x ? x : MANY;
  }
  return bad;
}

static unsigned add_atomic(struct row *r, uint32_t a, uint32_t b) {
  unsigned bad = 0;
  for (uint32_t k = a; k < b; k++) {
    bad |= r->writer[k] | r->reader[k];
    r->atomic[k] = 1;
  }
  return bad;
}

static uint32_t range_mask(uint32_t a, uint32_t b) {
  return (b == VG_ROW_UNITS ? ~0u : (1u << b) - 1) & ~0u << a;
}

void vg_spy_use(struct vg_warp *w, struct vg_watched *x, struct vg_units u,
                uint32_t thread, bool is_row) {
  struct vg_worker *k = w->worker;
  if (!k->spy)
    k->spy = xcalloc(1, sizeof *k->spy);
  int shift = x->watch->unit_shift;
  uint64_t start = x->base >> shift, first = u.first, end = first + u.count;
  uint32_t t = thread + 1;
  unsigned bad = 0;
  if (u.access != GPU_READ)
    vg_watch_keep(x, first << shift, (uint64_t)u.count << shift);
  while (first < end) {
    uint64_t row = first / VG_ROW_UNITS;
    uint64_t stop = (row + 1) * VG_ROW_UNITS;
    stop = stop < end ? stop : end;
    struct row *r = find_row(k->spy, x, start / VG_ROW_UNITS + row);
    uint32_t a = (uint32_t)(first % VG_ROW_UNITS);
    uint32_t b = a + (uint32_t)(stop - first);
    if (r->since != w->block->barrier_clock) {
      memset(r->writer, 0,
             sizeof r->writer + sizeof r->reader + sizeof r->atomic);
      r->since = w->block->barrier_clock;
    }
    if (u.access == GPU_READ) {
      bad |= add_read(r, a, b, t, is_row);
      r->read |= range_mask(a, b);
    } else if (u.access == GPU_WRITE) {
      bad |= add_write(r, a, b, t, is_row);
      r->wrote |= range_mask(a, b);
    } else {
      bad |= add_atomic(r, a, b);
      r->atom |= range_mask(a, b);
    }
    t += is_row ? (uint32_t)(stop - first) : 0;
    first = stop;
  }
  if (bad)
    atomic_store_explicit(&x->watch->is_suspicious, true, memory_order_relaxed);
}

void vg_spy_fetch(struct vg_warp *w, struct vg_watched *x, struct vg_units u,
                  uint32_t thread) {
  vg_spy_use(w, x, u, thread, false);
  uint64_t start = x->base >> x->watch->unit_shift;
  uint32_t bad = 0;
  for (uint64_t n = u.first; n < u.first + u.count; n++) {
    const struct row *r =
        find_row(w->worker->spy, x, (start + n) / VG_ROW_UNITS);
    bad |= (r->wrote | r->atom) >> n % VG_ROW_UNITS & 1;
  }
  if (bad)
    atomic_store_explicit(&x->watch->is_suspicious, true, memory_order_relaxed);
}

// One of a few locks, each for many rows; held for an instant.
static _Atomic bool locks[1024];

static void add_sum(const struct row *r) {
  uint64_t n =
      r->key - (r->of->base >> r->of->watch->unit_shift) / VG_ROW_UNITS;
  struct vg_kept *k = r->of->kept;
  struct vg_sum *s = &k->sums[n];
  _Atomic bool *lock = &locks[hash(r->key) % 1024];
  while (atomic_exchange_explicit(lock, true, memory_order_acquire))
    ;
  uint32_t bad = (s->wrote & (r->wrote | r->read | r->atom)) |
                 (s->read & (r->wrote | r->atom)) |
                 (s->atom & (r->wrote | r->read));
  if (!(s->wrote | s->read | s->atom))
    vg_kept_touch_row(k, n);
  s->wrote |= r->wrote;
  s->read |= r->read;
  s->atom |= r->atom;
  atomic_store_explicit(lock, false, memory_order_release);
  if (bad)
    atomic_store_explicit(&r->of->watch->is_suspicious, true,
                          memory_order_relaxed);
}

void vg_spy_block_ended(struct vg_block *b) {
  struct vg_spy *s = b->warps->worker->spy;
  if (!s)
    return;
  for (uint32_t n = 0; n < s->count; n++) {
    add_sum(&s->rows[n]);
    s->slots[s->rows[n].slot] = 0;
  }
  s->count = 0;
}

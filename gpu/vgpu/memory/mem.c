// SPDX-License-Identifier: Apache-2.0
// Slots, allocations and definedness bits of the virtual GPU's memory.
#include "gpu/vgpu/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/gpu.h"
#include "gpu/ptx/ptx.h"

void vg_memory_init(struct vg_memory *m, uint64_t limit_bytes,
                    uint32_t ordinal) {
  memset(m, 0, sizeof *m);
  m->chunks = xcalloc(VG_CHUNKS, sizeof *m->chunks);
  m->limit_bytes = limit_bytes;
  m->first = ordinal * VG_DEVICE_SLOTS + VG_SLOT_FIRST;
  atomic_store(&m->slots, m->first);
  pthread_mutex_init(&m->lock, NULL);
}

static uint64_t defined_bytes(uint64_t bytes) {
  return (bytes + 63) / 64 * 8;
}

uint64_t vg_origin_bytes(const struct vg_alloc *a) {
  return (a->bytes / 4 + 1) * sizeof(uint32_t);
}

static void origin_free(struct vg_alloc *a) {
  vg_pages_free(a->origins, vg_origin_bytes(a));
  a->origins = NULL;
}

void vg_partly_free(struct vg_alloc *a) {
  vg_pages_free(a->partly, a->bytes);
  a->partly = NULL;
}

static void release(struct vg_alloc *a) {
  if (a->data && !a->is_hosts)
    vg_pages_free(a->data, a->bytes);
  vg_pages_free(a->defined, defined_bytes(a->bytes));
  origin_free(a);
  vg_partly_free(a);
  a->data = NULL;
  a->defined = NULL;
}

void vg_memory_close(struct vg_memory *m) {
  for (uint32_t s = m->first; s < atomic_load(&m->slots); s++)
    release(vg_slot(m, s));
  vg_kept_close(m);
  vg_zeros_close(m);
  for (int i = 0; i < VG_CHUNKS; i++)
    free(m->chunks[i]);
  free(m->chunks);
  free(m->origins);
  pthread_mutex_destroy(&m->lock);
}

static enum err no_memory(struct vg_memory *m, uint64_t bytes,
                          struct err_info *e) {
  uint64_t used = atomic_load(&m->used_bytes);
  char asked[STR_BYTES], left[STR_BYTES], all[STR_BYTES];
  return err_set(
      e, ERR_NOMEM,
      "out of memory on the virtual GPU: %s asked for, %s of %s free",
      str_bytes(asked, (double)bytes),
      str_bytes(left, (double)(m->limit_bytes - used)),
      str_bytes(all, (double)m->limit_bytes));
}

// Puts the allocation into the next slot; the lock is held.
static uint64_t take_slot(struct vg_memory *m, const struct vg_alloc *a) {
  uint32_t slot = atomic_load(&m->slots);
  struct vg_alloc **chunk = &m->chunks[slot % VG_DEVICE_SLOTS / VG_CHUNK_SLOTS];
  if (!*chunk)
    *chunk = xcalloc(VG_CHUNK_SLOTS, sizeof **chunk);
  (*chunk)[slot % VG_CHUNK_SLOTS] = *a;
  atomic_store_explicit(&m->slots, slot + 1, memory_order_release);
  return VG_WINDOW(slot);
}

static bool has_slot(const struct vg_memory *m) {
  return atomic_load(&m->slots) - m->first < VG_DEVICE_SLOTS - VG_SLOT_FIRST;
}

enum err vg_alloc_new(struct vg_memory *m, uint64_t bytes,
                      enum vg_alloc_kind kind, bool tracked, uint64_t *address,
                      struct err_info *e) {
  struct vg_alloc a = {.bytes = bytes, .kind = (uint8_t)kind};
  if (bytes > VG_MAX_ALLOC)
    return no_memory(m, bytes, e);
  pthread_mutex_lock(&m->lock);
  if (bytes <= m->limit_bytes - atomic_load(&m->used_bytes) && has_slot(m))
    a.data = vg_pages_new(bytes);
  if (a.data && tracked)
    a.defined = vg_pages_new(defined_bytes(bytes));
  if (!a.data || (tracked && !a.defined)) {
    release(&a);
    pthread_mutex_unlock(&m->lock);
    return no_memory(m, bytes, e);
  }
  *address = take_slot(m, &a);
  atomic_fetch_add(&m->used_bytes, bytes);
  pthread_mutex_unlock(&m->lock);
  return ERR_OK;
}

enum err vg_alloc_map(struct vg_memory *m, void *data, uint64_t bytes,
                      uint64_t *address, struct err_info *e) {
  struct vg_alloc a = {
      .data = data, .bytes = bytes, .kind = VG_ALLOC_MEMORY, .is_hosts = true};
  if (bytes > VG_MAX_ALLOC)
    return no_memory(m, bytes, e);
  pthread_mutex_lock(&m->lock);
  bool is_room = has_slot(m);
  if (is_room)
    *address = take_slot(m, &a);
  pthread_mutex_unlock(&m->lock);
  return is_room ? ERR_OK : no_memory(m, bytes, e);
}

void vg_alloc_free(struct vg_memory *m, struct vg_alloc *a, uint64_t launch) {
  if (!a->data)
    return;
  release(a);
  a->freed_at = launch;
  if (!a->is_hosts)
    atomic_fetch_sub(&m->used_bytes, a->bytes);
}

struct vg_alloc *vg_alloc_near(const struct vg_memory *m, uint64_t address,
                               uint64_t *base, int64_t *offset) {
  uint64_t slot = address >> VG_SLOT_BITS;
  uint64_t within = address & (VG_WINDOW(1) - 1);
  if (within >= VG_MAX_ALLOC && vg_slot(m, slot + 1))
    slot++;
  struct vg_alloc *a = vg_slot(m, slot);
  *base = VG_WINDOW(slot);
  *offset = (int64_t)(address - *base);
  return a;
}

// ---- Definedness: a bit per byte, set bits are defined ----

// Calls for the words that a range of bits touches: `mask` are its bits.
#define EACH_WORD(first, count, w, mask)                                       \
  for (uint64_t b_ = (first), e_ = (first) + (count), w, mask;                 \
       b_ < e_ && (w = b_ / 64, mask = word_mask(b_, e_), true);               \
       b_ = (w + 1) * 64)

static uint64_t word_mask(uint64_t begin, uint64_t end) {
  uint64_t w = begin / 64;
  uint64_t low = ~UINT64_C(0) << (begin % 64);
  uint64_t left = end - w * 64;
  return left >= 64 ? low : low & ((UINT64_C(1) << left) - 1);
}

// Blocks on several host threads may share a word, hence the atomic; a word
// that is set already, the common case, is only read.
void vg_define(struct vg_alloc *a, uint64_t offset, uint64_t bytes) {
  if (!a->defined || a->is_defined)
    return;
  if (a->watched)
    a->keep(a->watched, offset, bytes);
  EACH_WORD(offset, bytes, w, mask)
  if ((__atomic_load_n(&a->defined[w], __ATOMIC_RELAXED) & mask) != mask)
    __atomic_fetch_or(&a->defined[w], mask, __ATOMIC_RELAXED);
}

void vg_define_whole(struct vg_alloc *a, uint64_t offset, uint64_t bytes) {
  vg_define(a, offset, bytes);
  if (offset == 0 && bytes == a->bytes)
    a->is_defined = true;
}

void vg_undefine(struct vg_alloc *a, uint64_t offset, uint64_t bytes) {
  if (!a->defined)
    return;
  if (a->watched)
    a->keep(a->watched, offset, bytes);
  a->is_defined = false;
  EACH_WORD(offset, bytes, w, mask)
  __atomic_fetch_and(&a->defined[w], ~mask, __ATOMIC_RELAXED);
}

bool vg_any_defined(const struct vg_alloc *a, uint64_t offset, uint64_t bytes) {
  if (!a->defined || a->is_defined)
    return true;
  EACH_WORD(offset, bytes, w, mask)
  if (__atomic_load_n(&a->defined[w], __ATOMIC_RELAXED) & mask)
    return true;
  return bytes == 0;
}

bool vg_all_defined(const struct vg_alloc *a, uint64_t offset, uint64_t bytes) {
  if (!a->defined || a->is_defined)
    return true;
  EACH_WORD(offset, bytes, w, mask)
  if (mask & ~__atomic_load_n(&a->defined[w], __ATOMIC_RELAXED))
    return false;
  return true;
}

// The n bits from bit `at` on; what lies above them is unspecified.
static uint64_t bits_at(const uint64_t *words, uint64_t at, unsigned n) {
  unsigned shift = at % 64;
  uint64_t low = __atomic_load_n(&words[at / 64], __ATOMIC_RELAXED) >> shift;
  if (shift + n <= 64)
    return low;
  uint64_t high = __atomic_load_n(&words[at / 64 + 1], __ATOMIC_RELAXED);
  return low | high << (64 - shift);
}

void vg_copy_defined(struct vg_alloc *to, uint64_t to_offset,
                     const struct vg_alloc *from, uint64_t from_offset,
                     uint64_t bytes) {
  if (!to->defined)
    return;
  if (vg_all_defined(from, from_offset, bytes)) {
    vg_define(to, to_offset, bytes);
    return;
  }
  // Overlap is undefined for the copy itself, so one direction will do.
  to->is_defined = false;
  EACH_WORD(to_offset, bytes, w, mask) {
    uint64_t at = from_offset + (b_ - to_offset);
    unsigned n = (unsigned)__builtin_popcountll(mask);
    uint64_t bits = bits_at(from->defined, at, n) << (b_ % 64) & mask;
    __atomic_fetch_or(&to->defined[w], bits, __ATOMIC_RELAXED);
    __atomic_fetch_and(&to->defined[w], bits | ~mask, __ATOMIC_RELAXED);
  }
}

// Loads leave the other origins.
bool vg_was_discarded(const struct vg_memory *m, uint64_t address) {
  uint64_t slot = address >> VG_SLOT_BITS;
  const struct vg_alloc *a = slot >= VG_SLOT_FIRST ? vg_slot(m, slot) : NULL;
  uint64_t at = address & (VG_WINDOW(1) - 1);
  uint32_t n = a && a->data && a->origins ? a->origins[at / 4] : 0;
  return n && m->origins[n - 1].at.access == GPU_WRITE;
}

int vg_space_split(int space, uint64_t *address) {
  if (space != PTX_GENERIC)
    return space;
  uint64_t slot = *address >> VG_SLOT_BITS;
  uint64_t within = *address & (VG_WINDOW(1) - 1);
  switch (slot) {
  case VG_SLOT_SHARED: *address = within; return PTX_SHARED;
  case VG_SLOT_LOCAL: *address = within; return PTX_LOCAL;
  case VG_SLOT_PARAM: *address = within; return PTX_PARAM;
  default: return PTX_GLOBAL;
  }
}

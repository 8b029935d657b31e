// SPDX-License-Identifier: Apache-2.0
// A copy of the device's memory, for a launch that is to be run again from
// its beginning. Pages of zeros cost nothing.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/memory/memory.h"

enum { PAGE = 4096 };

struct saved_alloc {
  uint8_t *data;
  uint64_t *defined;
  uint64_t bytes, bits_bytes;
  bool is_defined;
};

struct vg_saved {
  uint32_t first, slots; // from the first to before the last
  uint64_t heap_bytes;
  struct saved_alloc *allocs; // of the slots from the first on
};

static uint64_t bits_bytes(const struct vg_alloc *a) {
  return (a->bytes + 63) / 64 * 8;
}

static bool is_zero(const uint8_t *p, size_t n) {
  return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

// `to` holds zeros.
static void copy_pages(uint8_t *to, const uint8_t *from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += PAGE) {
    size_t n = bytes - at < PAGE ? (size_t)(bytes - at) : PAGE;
    if (!is_zero(from + at, n))
      memcpy(to + at, from + at, n);
  }
}

static void *copy_mapped(const void *from, uint64_t bytes) {
  void *to = vg_pages_new(bytes);
  if (to)
    copy_pages(to, from, bytes);
  return to;
}

static bool save_one(const struct vg_alloc *a, struct saved_alloc *s) {
  s->is_defined = a->is_defined;
  s->bytes = a->bytes;
  s->bits_bytes = bits_bytes(a);
  s->data = copy_mapped(a->data, s->bytes);
  if (a->defined)
    s->defined = copy_mapped(a->defined, s->bits_bytes);
  return s->data && (!a->defined || s->defined);
}

enum err vg_memory_save(struct vg_memory *m, struct vg_saved **out,
                        struct err_info *e) {
  struct vg_saved *s = xcalloc(1, sizeof *s);
  s->first = m->first;
  s->slots = atomic_load(&m->slots);
  s->heap_bytes = atomic_load(&m->heap_bytes);
  s->allocs = xcalloc(s->slots - s->first + 1, sizeof *s->allocs);
  *out = s;
  for (uint32_t n = s->first; n < s->slots; n++) {
    struct vg_alloc *a = vg_slot(m, n);
    struct saved_alloc *to = &s->allocs[n - s->first];
    if (!a->data || a->is_read_only || save_one(a, to))
      continue;
    vg_saved_free(s);
    *out = NULL;
    return err_set(e, ERR_NOMEM,
                   "this machine has no memory for a copy of the virtual "
                   "GPU's, which the debugger needs to go back");
  }
  return ERR_OK;
}

static void put_back(void *to, const void *from, uint64_t bytes) {
  vg_pages_clear(to, bytes);
  copy_pages(to, from, bytes);
}

static void restore_one(struct vg_memory *m, struct vg_alloc *a,
                        const struct saved_alloc *s) {
  if (!a->data) { // the kernel freed it
    if (a->kind != VG_ALLOC_HEAP)
      return;
    a->data = vg_pages_new(s->bytes);
    if (a->data && s->defined)
      a->defined = vg_pages_new(s->bits_bytes);
    if (!a->data)
      return;
    a->freed_at = 0;
    atomic_fetch_add(&m->used_bytes, a->bytes);
  }
  if (a->is_hosts) // shared pages do not become zeros again
    memcpy(a->data, s->data, a->bytes);
  else
    put_back(a->data, s->data, s->bytes);
  if (a->defined && s->defined)
    put_back(a->defined, s->defined, s->bits_bytes);
  a->is_defined = s->is_defined;
}

// What the kernel allocated goes, and its addresses are given again, so that
// the launch sees the same ones; but not those after one of the host's.
static void drop_later(struct vg_memory *m, uint32_t from) {
  uint32_t end = atomic_load(&m->slots), keep = from;
  for (uint32_t n = from; n < end; n++) {
    struct vg_alloc *a = vg_slot(m, n);
    if (a->kind == VG_ALLOC_HEAP)
      vg_alloc_free(m, a, 0);
    else
      keep = n + 1;
  }
  atomic_store(&m->slots, keep);
}

void vg_memory_restore(struct vg_memory *m, struct vg_saved *s) {
  pthread_mutex_lock(&m->lock);
  drop_later(m, s->slots);
  pthread_mutex_unlock(&m->lock);
  for (uint32_t n = s->first; n < s->slots; n++)
    if (s->allocs[n - s->first].data)
      restore_one(m, vg_slot(m, n), &s->allocs[n - s->first]);
  atomic_store(&m->heap_bytes, s->heap_bytes);
}

void vg_saved_free(struct vg_saved *s) {
  if (!s)
    return;
  for (uint32_t n = s->first; n < s->slots; n++) {
    struct saved_alloc *a = &s->allocs[n - s->first];
    vg_pages_free(a->data, a->bytes);
    vg_pages_free(a->defined, a->bits_bytes);
  }
  free(s->allocs);
  free(s);
}

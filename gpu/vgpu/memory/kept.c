// SPDX-License-Identifier: Apache-2.0
#include "gpu/vgpu/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
  PAGE_BYTES = 4096,
  MOST_FULL = 16 << 20, // of an array whose tables stay although all is touched
};
// NOW: somebody copies it; ZEROS: nothing but zeros was there, as in memory that
// nobody has touched, and the host need not have a page for that.
enum state { KEPT_NOT, KEPT_NOW, KEPT_ZEROS, KEPT_DONE };

static uint64_t page_count(uint64_t bytes) {
  return (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
}

static uint64_t defined_bytes(uint64_t bytes) {
  return (bytes + 63) / 64 * 8;
}

static void drop(struct vg_kept *k) {
  if (!k)
    return;
  vg_pages_free(k->was, k->bytes);
  vg_pages_free(k->was_defined, defined_bytes(k->bytes));
  vg_pages_free((void *)k->pages, page_count(k->bytes));
  vg_pages_free(k->sums, k->rows * sizeof *k->sums);
  free(k);
}

static struct vg_kept *take_spare(struct vg_memory *m, const struct vg_alloc *a,
                                  uint64_t rows) {
  for (int n = 0; n < VG_KEPT_SPARE; n++) {
    struct vg_kept *k = m->spare[n];
    if (!k || k->bytes != a->bytes || k->rows != rows ||
        !k->was_defined != !a->defined)
      continue;
    m->spare[n] = NULL;
    return k;
  }
  return NULL;
}

struct vg_kept *vg_kept_new(struct vg_memory *m, const struct vg_alloc *a,
                            uint64_t rows) {
  struct vg_kept *k = take_spare(m, a, rows);
  if (k)
    return k;
  k = xcalloc(1, sizeof *k);
  k->bytes = a->bytes;
  k->rows = rows;
  k->was = vg_pages_new(k->bytes);
  k->pages = vg_pages_new(page_count(k->bytes));
  k->sums = vg_pages_new(rows * sizeof *k->sums);
  if (a->defined)
    k->was_defined = vg_pages_new(defined_bytes(k->bytes));
  if (k->was && k->pages && k->sums && (k->was_defined || !a->defined))
    return k;
  drop(k);
  return NULL;
}

// What is kept of a page is written before it is read: only its state counts.
static void clean(struct vg_kept *k) {
  uint32_t pages = atomic_load(&k->page_count);
  uint32_t rows = atomic_load(&k->row_count);
  if (pages > VG_KEPT_PAGES || rows > VG_KEPT_ROWS) {
    memset((void *)k->pages, 0, page_count(k->bytes));
    memset(k->sums, 0, k->rows * sizeof *k->sums);
    k->is_full = true;
    pages = rows = 0;
  }
  for (uint32_t n = 0; n < pages; n++)
    atomic_store_explicit(&k->pages[k->touched_pages[n]], KEPT_NOT,
                          memory_order_relaxed);
  for (uint32_t n = 0; n < rows; n++)
    k->sums[k->touched_rows[n]] = (struct vg_sum){0};
  atomic_store(&k->page_count, 0);
  atomic_store(&k->row_count, 0);
}

void vg_kept_free(struct vg_memory *m, struct vg_kept *k) {
  if (!k)
    return;
  bool is_large = atomic_load(&k->page_count) > VG_KEPT_PAGES ||
                  atomic_load(&k->row_count) > VG_KEPT_ROWS;
  if (is_large && k->bytes > MOST_FULL) {
    drop(k);
    return;
  }
  clean(k);
  uint32_t n = 1 + m->next_spare++ % (VG_KEPT_SPARE - 1);
  struct vg_kept **place = &m->spare[k->is_full ? 0 : n];
  drop(*place);
  *place = k;
}

void vg_kept_close(struct vg_memory *m) {
  for (int n = 0; n < VG_KEPT_SPARE; n++) {
    drop(m->spare[n]);
    m->spare[n] = NULL;
  }
}

static uint64_t bytes_of_page(const struct vg_alloc *a, uint64_t page) {
  uint64_t left = a->bytes - page * PAGE_BYTES;
  return left < PAGE_BYTES ? left : PAGE_BYTES;
}

static bool is_zeros(const uint8_t *p, uint64_t bytes) {
  return !p[0] && !memcmp(p, p + 1, bytes - 1);
}

static void copy_defined(const struct vg_kept *k, const struct vg_alloc *a,
                         uint64_t page, bool is_back) {
  uint64_t at = page * PAGE_BYTES / 64;
  if (k->was_defined)
    memcpy((is_back ? a->defined : k->was_defined) + at,
           (is_back ? k->was_defined : a->defined) + at,
           (bytes_of_page(a, page) + 63) / 64 * 8);
}

// Copies a page to what is kept of it; says how it is kept.
static enum state copy_page(const struct vg_kept *k, const struct vg_alloc *a,
                            uint64_t page) {
  const uint8_t *data = a->data + page * PAGE_BYTES;
  uint64_t bytes = bytes_of_page(a, page);
  copy_defined(k, a, page, false);
  if (is_zeros(data, bytes))
    return KEPT_ZEROS;
  memcpy(k->was + page * PAGE_BYTES, data, bytes);
  return KEPT_DONE;
}

static void put_page_back(const struct vg_kept *k, const struct vg_alloc *a,
                          uint64_t page) {
  int how = atomic_load_explicit(&k->pages[page], memory_order_relaxed);
  uint8_t *data = a->data + page * PAGE_BYTES;
  uint64_t bytes = bytes_of_page(a, page);
  if (how == KEPT_NOT)
    return;
  copy_defined(k, a, page, true);
  if (how == KEPT_ZEROS)
    memset(data, 0, bytes);
  else
    memcpy(data, k->was + page * PAGE_BYTES, bytes);
}

bool vg_kept_page(struct vg_kept *k, const struct vg_alloc *a, uint64_t page) {
  _Atomic uint8_t *state = &k->pages[page];
  uint8_t none = KEPT_NOT;
  if (atomic_load_explicit(state, memory_order_acquire) > KEPT_NOW)
    return false;
  bool is_first = atomic_compare_exchange_strong(state, &none, KEPT_NOW);
  if (is_first) {
    enum state how = copy_page(k, a, page);
    uint32_t n = atomic_fetch_add(&k->page_count, 1);
    if (n < VG_KEPT_PAGES)
      k->touched_pages[n] = (uint32_t)page;
    atomic_store_explicit(state, (uint8_t)how, memory_order_release);
  }
  while (atomic_load_explicit(state, memory_order_acquire) <= KEPT_NOW)
    ;
  return is_first;
}

void vg_kept_put_back(struct vg_kept *k, struct vg_alloc *a) {
  uint32_t count = atomic_load(&k->page_count);
  if (count <= VG_KEPT_PAGES) {
    for (uint32_t n = 0; n < count; n++)
      put_page_back(k, a, k->touched_pages[n]);
    return;
  }
  for (uint64_t p = 0; p < page_count(k->bytes); p++)
    put_page_back(k, a, p);
}

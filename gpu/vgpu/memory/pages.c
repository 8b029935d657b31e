// SPDX-License-Identifier: Apache-2.0
#include "gpu/vgpu/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *vg_pages_new(uint64_t bytes) {
  if (!vg_pages_are_mapped(bytes)) {
    size_t whole = (bytes / 64 + 1) * 64;
    void *p = aligned_alloc(64, whole);
    return p ? memset(p, 0, whole) : NULL;
  }
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void vg_pages_free(void *p, uint64_t bytes) {
  if (p && vg_pages_are_mapped(bytes))
    munmap(p, bytes);
  else
    free(p);
}

void vg_pages_are_dense(void *p, uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  if (p && vg_pages_are_mapped(bytes))
    madvise(p, bytes, MADV_HUGEPAGE);
#else
  (void)p, (void)bytes;
#endif
}

void vg_pages_clear(void *p, uint64_t bytes) {
  if (vg_pages_are_mapped(bytes))
    madvise(p, bytes, MADV_DONTNEED);
  else
    memset(p, 0, bytes);
}

// ---- Zeros again ----

// What stays is of few sizes, so that one array's serves another's.
static uint64_t whole_bytes(uint64_t bytes) {
  uint64_t whole = 4096;
  while (whole < bytes)
    whole *= 2;
  return vg_zeros_stay(bytes) ? whole : bytes;
}

void *vg_zeros_new(struct vg_memory *m, uint64_t bytes) {
  bytes = whole_bytes(bytes);
  for (int n = 0; n < VG_ZEROS_SPARE; n++) {
    struct vg_zeros *z = &m->zeros[n];
    if (!z->p || z->bytes != bytes)
      continue;
    void *p = z->p;
    z->p = NULL;
    return p;
  }
  return vg_pages_new(bytes);
}

// A free place, or that of the one that lies there longest.
static struct vg_zeros *place_for_zeros(struct vg_memory *m) {
  for (int n = 0; n < VG_ZEROS_SPARE; n++)
    if (!m->zeros[n].p)
      return &m->zeros[n];
  return &m->zeros[m->next_zeros++ % VG_ZEROS_SPARE];
}

void vg_zeros_free(struct vg_memory *m, void *p, uint64_t bytes) {
  bytes = whole_bytes(bytes);
  if (!vg_zeros_stay(bytes)) {
    vg_pages_free(p, bytes);
    return;
  }
  struct vg_zeros *z = place_for_zeros(m);
  vg_pages_free(z->p, z->bytes);
  *z = (struct vg_zeros){p, bytes};
}

void vg_zeros_close(struct vg_memory *m) {
  for (int n = 0; n < VG_ZEROS_SPARE; n++) {
    vg_pages_free(m->zeros[n].p, m->zeros[n].bytes);
    m->zeros[n].p = NULL;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Undefined values in the device's memory: where they were copied from, and
// what the host is told when it reads them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/taint.h"
#include "gpu/vgpu/memory/memory.h"

enum { MAX_ORIGINS = 1024 };

static bool is_earlier(const struct gpu_place *x, const struct gpu_place *y) {
  for (int n = 2; n >= 0; n--)
    if (x->block[n] != y->block[n])
      return x->block[n] < y->block[n];
  for (int n = 2; n >= 0; n--)
    if (x->thread[n] != y->thread[n])
      return x->thread[n] < y->thread[n];
  return false;
}

// The same load of the same launch is one origin.
uint32_t vg_origin_add(struct vg_memory *m, const struct gpu_finding *f) {
  uint32_t n = 0;
  pthread_mutex_lock(&m->lock);
  if (!m->origins)
    m->origins = xcalloc(MAX_ORIGINS, sizeof *m->origins);
  while (n < m->origin_count &&
         (m->origins[n].at.line != f->at.line ||
          m->origins[n].at.column != f->at.column ||
          m->origins[n].launch != f->launch || m->origins[n].base != f->base ||
          m->origins[n].severity != f->severity))
    n++;
  if (n == m->origin_count && n < MAX_ORIGINS)
    m->origins[m->origin_count++] = *f;
  else if (n < MAX_ORIGINS && is_earlier(&f->at, &m->origins[n].at))
    m->origins[n] = *f; // whichever host thread came first
  pthread_mutex_unlock(&m->lock);
  return n < MAX_ORIGINS ? n + 1 : MAX_ORIGINS;
}

void vg_origin_set(struct vg_memory *m, struct vg_alloc *a, uint64_t offset,
                   uint32_t bytes, uint32_t origin) {
  pthread_mutex_lock(&m->lock);
  if (!a->origins)
    a->origins = vg_pages_new(vg_origin_bytes(a));
  for (uint64_t w = offset / 4; a->origins && w <= (offset + bytes - 1) / 4;
       w++)
    a->origins[w] = origin;
  pthread_mutex_unlock(&m->lock);
}

bool vg_origin_is_padding(const struct vg_memory *m, uint32_t origin) {
  return m->origins[origin - 1].severity == GPU_NOTE;
}

uint32_t vg_origin_get(const struct vg_alloc *a, uint64_t offset) {
  return a->origins ? a->origins[offset / 4] : 0;
}

void vg_on_host_copy(struct vg_memory *m, struct vg_alloc *to,
                     uint64_t to_offset, const struct vg_alloc *from,
                     uint64_t from_offset, uint64_t bytes) {
  for (uint64_t n = 0; from->origins && n < bytes; n += 4) {
    uint32_t origin = vg_origin_get(from, from_offset + n);
    if (origin)
      vg_origin_set(m, to, to_offset + n, bytes - n < 4 ? 1 : 4, origin);
  }
}

// ---- The host reads ----

// The first word in [at, end) of which no byte is defined; `end` when there is
// none. Holes that are narrower may be padding of a struct.
static uint64_t first_undefined(const struct vg_alloc *a, uint64_t at,
                                uint64_t end) {
  for (at = (at + 3) & ~UINT64_C(3); at + 4 <= end; at += 4) {
    // A whole word of bits at a time where all is well.
    while (at % 64 == 0 && at + 64 <= end &&
           a->defined[at / 64] == ~UINT64_C(0))
      at += 64;
    if (at + 4 <= end && !vg_any_defined(a, at, 4))
      return at;
  }
  return end;
}

static bool is_untouched(const struct vg_alloc *a) {
  for (uint64_t n = 0; n < (a->bytes + 63) / 64; n++)
    if (a->defined[n])
      return false;
  return true;
}

enum origin { UNWRITTEN, COPIED, PADDING };

static enum origin origin_of(const struct vg_memory *m,
                             const struct vg_alloc *a, uint64_t at) {
  uint32_t n = vg_origin_get(a, at);
  return !n ? UNWRITTEN : vg_origin_is_padding(m, n) ? PADDING : COPIED;
}

// The first word of a kind; `end` when there is none.
static uint64_t first_of(const struct vg_memory *m, const struct vg_alloc *a,
                         uint64_t at, uint64_t end, enum origin which) {
  while ((at = first_undefined(a, at, end)) < end &&
         origin_of(m, a, at) != which)
    at += 4;
  return at;
}

// Words of the range that nothing wrote.
static uint64_t count_unwritten(const struct vg_memory *m,
                                const struct vg_alloc *a, uint64_t at,
                                uint64_t end) {
  uint64_t n = 0;
  for (; (at = first_of(m, a, at, end, UNWRITTEN)) < end; at += 4)
    n++;
  return n;
}

static void say_copied(const struct vg_memory *m, const struct vg_alloc *a,
                       uint64_t at, const char *text, struct gpu_finding *out) {
  *out = m->origins[vg_origin_get(a, at) - 1];
  out->other.access = GPU_ACCESS_NONE;
  snprintf(out->text, sizeof out->text, "%s", text);
}

static bool check(struct vg_memory *m, uint64_t address, uint64_t bytes,
                  struct gpu_finding *out) {
  const struct vg_alloc *a = vg_slot(m, address >> VG_SLOT_BITS);
  uint64_t base = address & ~(VG_WINDOW(1) - 1), from = address - base;
  uint64_t end = from + bytes;
  if (!a || !a->defined || a->is_defined || vg_all_defined(a, from, bytes))
    return false;
  uint64_t at = first_of(m, a, from, end, COPIED);
  if (at < end) {
    int space = m->origins[vg_origin_get(a, at) - 1].space;
    bool is_value = space == GPU_SPACE_REGISTER || space == GPU_SPACE_WARP;
    say_copied(m, a, at,
               vg_was_discarded(m, base + at)
                   ? "was discarded, and the host has got what became of it"
               : is_value
                   ? "the host has got what became of it"
                   : "was read here before anything wrote it, and the host has "
                     "got what became of it",
               out);
    return true;
  }
  at = first_of(m, a, from, end, UNWRITTEN);
  if (at >= end) {
    at = first_of(m, a, from, end, PADDING);
    if (at < end)
      say_copied(m, a, at,
                 "was copied here and has bytes that nothing wrote, which the "
                 "host has got: harmless if they are padding of a structure",
                 out);
    return at < end;
  }
  memset(out, 0, sizeof *out);
  out->kind = ERR_UNINITIALISED;
  out->space = GPU_SPACE_GLOBAL;
  out->at.access = GPU_READ;
  out->address = base + at;
  out->base = base;
  out->base_bytes = a->bytes;
  out->offset = (int64_t)at;
  out->bytes = 4;
  if (a->name)
    snprintf(out->variable, sizeof out->variable, "%s", a->name);
  if (is_untouched(a)) {
    snprintf(out->text, sizeof out->text,
             "was never written, nor was any of this array, and the host "
             "has read it");
    return true;
  }
  uint64_t count = count_unwritten(m, a, from, end);
  out->severity = GPU_WARNING;
  snprintf(out->text, sizeof out->text,
           "was never written, and the host has read it: %llu bytes of "
           "this array in all, the first at byte %llu",
           (unsigned long long)count * 4, (unsigned long long)at);
  return true;
}

static void poison_unwritten(const struct vg_memory *m, uint64_t address,
                             uint64_t bytes, void *host) {
  const struct vg_alloc *a = vg_slot(m, address >> VG_SLOT_BITS);
  uint64_t from = address & (VG_WINDOW(1) - 1), at = from, end = from + bytes;
  const uint32_t poison = (uint32_t)VG_POISON;
  for (; (at = first_of(m, a, at, end, UNWRITTEN)) < end; at += 4)
    memcpy((char *)host + (at - from), &poison, 4);
}

bool vg_on_host_read(struct vg_memory *m, uint64_t address, uint64_t bytes,
                     void *host, struct gpu_finding *out) {
  if (!check(m, address, bytes, out))
    return false;
  poison_unwritten(m, address, bytes, host);
  return true;
}

// SPDX-License-Identifier: Apache-2.0
// Which bits of memory are undefined. Mostly whole bytes are: the maps say so.
// Bit-fields are written into bytes that nothing wrote before, a few bits at a
// time: shared and local memory's maps say of such a byte which of its bits are
// still undefined, and global memory has a second map, made when it is needed.
#include "gpu/vgpu/check/taint.h"

#include "gpu/vgpu/check/race_shared.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"

// ---- A byte of the maps of shared and local memory ----

// 1: defined, 0: not, 255: only the lowest bit is not, others: those bits.
static uint8_t state_of(uint8_t undefined) {
  return undefined == 0      ? 1
         : undefined == 0xFF ? 0
         : undefined == 1    ? 0xFF
                             : undefined;
}

static uint8_t bits_of(uint8_t state) {
  return state == 1 ? 0 : state == 0 ? 0xFF : state == 0xFF ? 1 : state;
}

// ---- Where ----

static bool fits(uint64_t at, uint64_t bytes, uint64_t size) {
  return at <= size && bytes <= size - at;
}

static uint8_t *map_at(struct vg_warp *w, int lane, int space, uint64_t at,
                       uint32_t bytes) {
  struct vg_block *b = w->block;
  if (space == PTX_SHARED)
    return b->shadow && fits(at, bytes, b->shared_bytes)
               ? vg_shadow_defined(b->shadow) + at
               : NULL;
  if (space == PTX_LOCAL)
    return w->local_defined && fits(at, bytes, w->local_bytes)
               ? w->local_defined + (size_t)lane * w->local_bytes + at
               : NULL;
  return NULL;
}

static struct vg_alloc *alloc_at(const struct vg_warp *w, int space,
                                 uint64_t at, uint32_t bytes) {
  if (space != PTX_GLOBAL && space != PTX_CONST)
    return NULL;
  struct vg_alloc *a = vg_slot(w->block->grid->memory, at >> VG_SLOT_BITS);
  bool is_there = a && a->data && a->defined &&
                  fits(at & (VG_WINDOW(1) - 1), bytes, a->bytes);
  return is_there ? a : NULL;
}

struct vg_taint_memory vg_taint_memory(struct vg_warp *w, int lane, int space,
                                       uint64_t address, uint32_t bytes) {
  space = vg_space_split(space, &address);
  return (struct vg_taint_memory){
      .map = map_at(w, lane, space, address, bytes),
      .alloc = alloc_at(w, space, address, bytes),
      .offset = address & (VG_WINDOW(1) - 1),
  };
}

// ---- What ----

uint8_t vg_taint_bits_at(const struct vg_taint_memory *x, uint32_t b) {
  if (x->map)
    return bits_of(x->map[b]);
  if (!x->alloc || vg_all_defined(x->alloc, x->offset + b, 1))
    return 0;
  const uint8_t *partly = x->alloc->partly;
  return partly && partly[x->offset + b] ? partly[x->offset + b] : 0xFF;
}

void vg_taint_set_bits_at(struct vg_memory *m, const struct vg_taint_memory *x,
                          uint32_t b, uint8_t undefined) {
  struct vg_alloc *a = x->alloc;
  if (x->map)
    x->map[b] = state_of(undefined);
  if (!a || !undefined)
    return;
  vg_undefine(a, x->offset + b, 1);
  bool is_part = undefined != 0xFF;
  if (is_part && !a->partly) {
    pthread_mutex_lock(&m->lock);
    if (!a->partly)
      a->partly = vg_pages_new(a->bytes);
    pthread_mutex_unlock(&m->lock);
  }
  if (a->partly)
    a->partly[x->offset + b] = is_part ? undefined : 0;
}

uint32_t vg_undefined_bytes(struct vg_warp *w, int lane, int space,
                            uint64_t address, uint32_t bytes) {
  struct vg_taint_memory x = vg_taint_memory(w, lane, space, address, bytes);
  uint32_t r = 0;
  if (x.alloc && vg_all_defined(x.alloc, x.offset, bytes))
    return 0;
  for (uint32_t b = 0; b < bytes && b < 32; b++)
    r |= (uint32_t)(vg_taint_bits_at(&x, b) != 0) << b;
  return r;
}

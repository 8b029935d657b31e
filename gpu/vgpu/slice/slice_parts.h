// SPDX-License-Identifier: Apache-2.0
// What the files of this room share.
#ifndef GPU_VGPU_SLICE_SLICE_PARTS_H
#define GPU_VGPU_SLICE_SLICE_PARTS_H

#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/slice/feeds.h"

// A page of cells costs more than one of memory: it is read and written a cell
// at a time, and all of them must fit beside the launch's own memory.
enum { CELL_PAGE_BYTES = 4096, CELL_PAGE_COST = 2 * VG_PAGE_COST };

// An instruction that is followed; and what cells cost beside.
void vg_slice_charge(struct vg_warp *w);
void vg_slice_charge_cells(struct vg_warp *w, uint64_t cost);

// The thread's number in its block, from 1.
static inline uint32_t vg_slice_self(const struct vg_warp *w, int lane) {
  return w->first_thread + (uint32_t)lane + 1;
}

// ---- slice_global.c ----

// The part of an array in which nobody has to be asked again: a page of cells
// that is paid for. Where it begins, as an address and as cells.
struct vg_slice_window {
  uint64_t address, bytes;
  struct vg_slice_value *cells;
  struct vg_alloc *alloc;
};

// The cells of an address, paid for; NULL: no such memory.
struct vg_slice_value *vg_slice_global_at(struct vg_warp *w, uint64_t address,
                                          uint64_t bytes, bool is_written,
                                          struct vg_alloc **alloc);
// The same, where many addresses are near each other.
struct vg_slice_value *vg_slice_through(struct vg_slice_window *n,
                                        struct vg_warp *w, struct vg_span s);

struct vg_slice_value vg_slice_load_global(struct vg_warp *w, int lane,
                                           const struct vg_alloc *a,
                                           const struct vg_slice_value *c,
                                           uint32_t bytes, uint32_t flags);
void vg_slice_update_global(struct vg_warp *w, struct vg_slice_value *c,
                            uint32_t bytes, struct vg_slice_value v,
                            bool replaces);
// Do these cells have one node?
bool vg_slice_are_alike(const struct vg_slice_value *c, uint32_t bytes);

void vg_slice_free_arrays(struct vg_slice *s);

#endif

// SPDX-License-Identifier: Apache-2.0
// An array while a launch that may write it is looked at quickly: how it was,
// and which units the blocks that have ended used. The tables are as long as
// the array and mostly not touched; they are cleaned, where a launch touched
// them, for the next array of that size. So what a launch pays depends on what
// it uses, not on how large its arrays are.
#ifndef GPU_VGPU_MACHINE_KEPT_H
#define GPU_VGPU_MACHINE_KEPT_H

#include "gpu/vgpu/machine/mem.h"

enum { VG_KEPT_PAGES = 64, VG_KEPT_ROWS = 2048 };

struct vg_sum {
  uint32_t wrote, read, atom; // units of a row, by blocks that have ended
};

struct vg_kept {
  uint64_t bytes, rows; // of the array
  bool is_full;         // much of the tables was touched once: one such stays
  uint8_t *was;
  uint64_t *was_defined;  // or NULL: it has no such bits
  _Atomic uint8_t *pages; // how far each is kept
  struct vg_sum *sums;    // of each row
  // Which of them are touched, as long as they are few.
  _Atomic uint32_t page_count, row_count;
  uint32_t touched_pages[VG_KEPT_PAGES], touched_rows[VG_KEPT_ROWS];
};

// NULL when there is no memory.
struct vg_kept *vg_kept_new(struct vg_memory *m, const struct vg_alloc *a,
                            uint64_t rows);
void vg_kept_free(struct vg_memory *m, struct vg_kept *k); // NULL is fine
void vg_kept_close(struct vg_memory *m);

// Keeps a page before it is written, once; says whether it was the first time.
bool vg_kept_page(struct vg_kept *k, const struct vg_alloc *a, uint64_t page);
// All that was kept is as it was.
void vg_kept_put_back(struct vg_kept *k, struct vg_alloc *a);

// The row's sum, which was zero until now, is about to change.
static inline void vg_kept_touch_row(struct vg_kept *k, uint64_t row) {
  if (atomic_load_explicit(&k->row_count, memory_order_relaxed) > VG_KEPT_ROWS)
    return;
  uint32_t n = atomic_fetch_add(&k->row_count, 1);
  if (n < VG_KEPT_ROWS)
    k->touched_rows[n] = (uint32_t)row;
}

#endif

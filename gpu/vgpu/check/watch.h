// SPDX-License-Identifier: Apache-2.0
// Who uses which global memory during one launch. Only allocations that the
// kernel may write are watched (reach.c knows which).
#ifndef GPU_VGPU_CHECK_WATCH_H
#define GPU_VGPU_CHECK_WATCH_H

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/memory/memory.h"

// An allocation during a launch that may write it. Memory is seen as units of
// the kernel's narrowest access, in rows of VG_ROW_UNITS.
enum { VG_ROW_UNITS = 32, VG_PAGE_BYTES = 4096 };

struct vg_watched {
  struct vg_watch *watch;
  struct vg_watched *next;
  struct vg_alloc *alloc;
  uint64_t base; // its address
  uint64_t rows;
  bool was_all_defined;
  // As it was when the launch began, of the pages that were written since, and
  // sums per row (spy.c); or
  struct vg_kept *kept;
  uint8_t *pages; // a bit each: it was touched; with records
  // per row (race_global.c), when all is looked at exactly, and their list
  struct vg_record **records, *all_records;
};

struct vg_watch {
  struct vg_watched *list;
  struct vg_grid *grid; // pays for pages that are kept
  int unit_shift;
  bool is_exact;              // everything is remembered
  _Atomic bool is_suspicious; // run it again, exactly
  uint64_t record_bytes;
};

// A launch that is not checked: what it may write counts as written.
void vg_watch_trust(struct vg_grid *g);
// Before the blocks run; false when they must not run in parallel, since there
// is no memory to start over, or since it is to be exact at once. After they
// ran.
bool vg_watch_begin(struct vg_grid *g, bool is_exact);
void vg_watch_end(struct vg_grid *g);
// All is as it was when the launch began, which was not exact; and from now on is.
void vg_watch_put_back(struct vg_grid *g);
void vg_watch_again(struct vg_grid *g);
// Bytes of it, or whether they are defined, are about to change.
void vg_watch_keep(struct vg_watched *x, uint64_t offset, uint64_t bytes);

// Units of an allocation that are accessed in one go. Two registers.
struct vg_units {
  uint64_t first;
  uint32_t count;
  enum gpu_access access;
};
// Those that an access to some of its bytes is to.
static inline struct vg_units vg_units_of(const struct vg_watched *x,
                                          struct vg_span s) {
  int shift = x->watch->unit_shift;
  uint64_t first = s.at >> shift, last = (s.at + s.bytes - 1) >> shift;
  return (struct vg_units){first, (uint32_t)(last - first + 1), s.access};
}

struct vg_spy; // of one host thread

#endif

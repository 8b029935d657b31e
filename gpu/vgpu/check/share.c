// SPDX-License-Identifier: Apache-2.0
// Launches of which some blocks do not run here: what the blocks that do know of
// memory, for those who run the others.
//
// A page is kept before one of our own blocks writes to it first. Others write without
// asking, so before they begin every page is kept: from then on the launch can be
// undone, whoever wrote. Which units our blocks used stands in the sums that spy.c
// makes of them when they end.
#include "gpu/vgpu/check/share.h"

#include "gpu/vgpu/check/watch.h"
#include "gpu/vgpu/launch.h"

static bool keep_whole(const struct vg_watched *x) {
  if (!x->kept || x->alloc->partly)
    return false;
  uint64_t pages = (x->alloc->bytes + VG_PAGE_BYTES - 1) / VG_PAGE_BYTES;
  for (uint64_t p = 0; p < pages; p++)
    vg_kept_page(x->kept, x->alloc, p);
  return true;
}

bool vg_on_share(struct vg_grid *g) {
  if (!g->watch || g->watch->is_exact)
    return false;
  for (const struct vg_watched *x = g->watch->list; x; x = x->next)
    if (!keep_whole(x))
      return false;
  return true;
}

bool vg_next_used(const struct vg_alloc *a, struct vg_span *s) {
  const struct vg_watched *x = a->watched;
  int shift = x->watch->unit_shift;
  uint64_t unit = (s->at + s->bytes + (1u << shift) - 1) >> shift;
  for (uint64_t row = unit / VG_ROW_UNITS, skip = unit % VG_ROW_UNITS;
       row < x->rows; row++, skip = 0) {
    const struct vg_sum *sum = &x->kept->sums[row];
    uint32_t used = (sum->wrote | sum->read | sum->atom) & ~0u << skip;
    if (!used)
      continue;
    uint32_t first = (uint32_t)__builtin_ctz(used), run = ~(used >> first);
    uint32_t count = run ? (uint32_t)__builtin_ctz(run) : VG_ROW_UNITS;
    *s = (struct vg_span){(row * VG_ROW_UNITS + first) << shift, count << shift,
                          GPU_READ};
    return true;
  }
  return false;
}

void vg_on_undo(struct vg_grid *g) {
  vg_watch_put_back(g);
  vg_watch_end(g);
}

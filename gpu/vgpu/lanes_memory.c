// SPDX-License-Identifier: Apache-2.0
// Memory of a warp for instructions that are no plain loads and stores: the
// same checks, one lane after the other.
#include "gpu/vgpu/matrix.h"

#include <string.h>

#include "gpu/vgpu/count.h"
#include "gpu/vgpu/race.h"

// Where a place lies in the block's shared memory; false when elsewhere.
static bool shared_offset(const struct vg_warp *w, const uint8_t *p,
                          uint32_t *offset) {
  uint64_t at = (uint64_t)(p - w->block->shared);
  *offset = (uint32_t)at;
  return w->block->shadow && at < w->block->shared_bytes;
}

static void report_undefined(struct vg_warp *w, const struct vg_insn *i,
                             int lane, uint32_t offset, uint32_t bytes) {
  uint32_t base, size;
  struct vg_fault f = {.kind = ERR_UNINITIALISED,
                       .space = GPU_SPACE_SHARED,
                       .access = GPU_READ,
                       .address = VG_WINDOW(VG_SLOT_SHARED) + offset,
                       .bytes = bytes};
  f.variable = vg_shared_name(w->block->grid, offset, &base, &size);
  f.base = VG_WINDOW(VG_SLOT_SHARED) + base;
  f.base_bytes = size;
  vg_report(w, i, lane, &f);
}

vg_mask vg_read_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      const uint64_t a[VG_LANES], uint32_t bytes,
                      uint8_t out[VG_LANES][16]) {
  uint8_t *p[VG_LANES];
  vg_mask ok = m ? vg_access(w, i, m, a, bytes, GPU_READ, p) : 0;
  vg_count_lanes(w, i, m, a, bytes, true);
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t offset;
    if (!(m >> l & 1))
      continue;
    memset(out[l], 0x7F, 16); // a NaN in all types but the smallest
    if (!(ok >> l & 1))
      continue;
    if (shared_offset(w, p[l], &offset)) {
      vg_shadow_use(w, i, l, offset, bytes, GPU_READ);
      if (!vg_shadow_any_defined(w->block->shadow, offset, bytes))
        report_undefined(w, i, l, offset, bytes);
    }
    memcpy(out[l], p[l], bytes);
  }
  return ok;
}

vg_mask vg_write_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       const uint64_t a[VG_LANES], uint32_t bytes,
                       uint8_t in[VG_LANES][16]) {
  uint8_t *p[VG_LANES];
  vg_mask ok = m ? vg_access(w, i, m, a, bytes, GPU_WRITE, p) : 0;
  vg_count_lanes(w, i, m, a, bytes, false);
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t offset;
    if (!(ok >> l & 1))
      continue;
    if (shared_offset(w, p[l], &offset))
      vg_shadow_use(w, i, l, offset, bytes, GPU_WRITE);
    memcpy(p[l], in[l], bytes);
  }
  return ok;
}

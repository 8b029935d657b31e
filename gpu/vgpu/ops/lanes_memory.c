// SPDX-License-Identifier: Apache-2.0
// Memory of a warp for instructions that are no plain loads and stores: the
// same checks, one lane after the other.
#include "gpu/vgpu/ops/ops.h"

#include <string.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/matrix/matrix.h"
#include "gpu/vgpu/ops/access.h"
#include "gpu/vgpu/slice/slice.h"

// Where a place lies in the block's shared memory; false when elsewhere.
static bool shared_offset(const struct vg_warp *w, const uint8_t *p,
                          uint32_t *offset) {
  uint64_t at = (uint64_t)(p - w->block->shared);
  *offset = (uint32_t)at;
  return w->block->shadow && at < w->block->shared_bytes;
}

// The usual sizes without a call.
static inline void copy(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  switch (bytes) {
  case 2: memcpy(to, from, 2); break;
  case 4: memcpy(to, from, 4); break;
  case 16: memcpy(to, from, 16); break;
  default: memcpy(to, from, bytes);
  }
}

vg_mask vg_read_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      struct vg_spans s, uint8_t out[VG_LANES][16],
                      struct vg_lane_marks *marks) {
  uint8_t *p[VG_LANES];
  vg_mask ok = m ? vg_access(w, i, m, s, p) : 0;
  vg_count_lanes(w, i, m, s.at, s.bytes, true);
  vg_slice_read_lanes(w, i, ok, s.at, s.bytes);
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t offset;
    if (!(m >> l & 1))
      continue;
    memset(out[l], 0x7F, 16); // a NaN in all types but the smallest
    if (!(ok >> l & 1))
      continue;
    if (shared_offset(w, p[l], &offset)) {
      vg_on_shared(w, i, l, offset, s.bytes, GPU_READ);
      w->has_undefined = true; // perhaps
    }
    if (w->has_undefined)
      vg_on_lane_read(w, i, l, vg_span_of(s, l), marks);
    copy(out[l], p[l], s.bytes);
  }
  w->has_undefined = false;
  return ok;
}

vg_mask vg_write_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       struct vg_spans s, uint8_t in[VG_LANES][16]) {
  uint8_t *p[VG_LANES];
  vg_mask ok = m ? vg_access(w, i, m, s, p) : 0;
  vg_count_lanes(w, i, m, s.at, s.bytes, false);
  vg_slice_write_lanes(w, i, ok, s.at, s.bytes);
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t offset;
    if (!(ok >> l & 1))
      continue;
    w->in_hand = in[l];
    if (shared_offset(w, p[l], &offset))
      vg_on_shared(w, i, l, offset, s.bytes, GPU_WRITE);
    w->in_hand = NULL;
    copy(p[l], in[l], s.bytes);
  }
  return ok;
}

// SPDX-License-Identifier: Apache-2.0
// The addresses that lanes use in an access, and how they lie.
#ifndef GPU_VGPU_ADDRESSES_H
#define GPU_VGPU_ADDRESSES_H

#include "gpu/vgpu/state.h"

// The lanes access elements that lie one behind the other, they all read one, or
// each must be looked at.
enum vg_pattern { VG_EACH, VG_ROW, VG_SAME };

// What one lane does to memory: to `bytes` bytes from `at` on, an address or an
// offset into an allocation. Two registers, so it is handed on by value.
struct vg_span {
  uint64_t at;
  uint32_t bytes;
  enum gpu_access access;
};
// What all do: lane l the same from at[l] on.
struct vg_spans {
  const uint64_t *at; // of VG_LANES
  uint32_t bytes;
  enum gpu_access access;
};

static inline struct vg_span vg_span_of(struct vg_spans s, int lane) {
  return (struct vg_span){s.at[lane], s.bytes, s.access};
}

// The addresses that lanes use in an access.
static inline void vg_addresses(struct vg_warp *w, const struct vg_insn *i,
                                uint64_t a[VG_LANES]) {
  uint64_t offset = (uint64_t)i->offset;
  if (i->in_frame)
    offset += w->leaf->frame->local_base;
  if (i->is_narrow) {
    const uint32_t *r = VG_AT(w, i->src[0]);
    for (int l = 0; l < VG_LANES; l++)
      a[l] = (uint32_t)(r[l] + (uint32_t)offset);
  } else {
    const uint64_t *r = VG_AT(w, i->src[0]);
    for (int l = 0; l < VG_LANES; l++)
      a[l] = r[l] + offset;
  }
}

#endif

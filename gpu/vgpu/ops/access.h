// SPDX-License-Identifier: Apache-2.0
// From addresses to host memory.
#ifndef GPU_VGPU_OPS_ACCESS_H
#define GPU_VGPU_OPS_ACCESS_H

#include "base/str.h"
#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/isa.h"

// Checks the lanes' access; where it is allowed, the lane is in the answer and
// `p` has the place in host memory. All others were reported.
vg_mask vg_access(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_spans s, uint8_t *p[VG_LANES]);

// The common case, for one check in place of 32: VG_ROW when the lanes of `m`
// access elements that lie one behind the other (*first is that of the first
// lane of `m`), VG_SAME when they all read one; 0 when each lane must be looked
// at, also when something is wrong.
enum vg_pattern vg_access_row(struct vg_warp *w, const struct vg_insn *i,
                              vg_mask m, struct vg_spans s, uint8_t **first);

// For system calls: one lane's bytes at a generic address, NULL (reported) when
// they are not all there.
uint8_t *vg_access_lane(struct vg_warp *w, const struct vg_insn *i, int lane,
                        struct vg_span s);
// A copy of the text at a generic address, cut at its zero, at `max` bytes or
// at the end of its memory.
void vg_access_text(struct vg_warp *w, const struct vg_insn *i, int lane,
                    uint64_t address, uint32_t max, struct str *out);

#endif

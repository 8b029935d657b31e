// SPDX-License-Identifier: Apache-2.0
// All warps of a block in lock step, for as long as they agree where they are.
#ifndef GPU_VGPU_CODE_GANG_H
#define GPU_VGPU_CODE_GANG_H

#include "gpu/vgpu/insn.h"

// What a gang does with an instruction (vg_insn.gang).
enum vg_gang_kind {
  VG_GANG_LEAVE, // the warps go on by themselves
  VG_GANG_EACH,  // every warp runs it, one after the other
  VG_GANG_WHOLE, // likewise, but only while no lanes have parted
  VG_GANG_BRANCH,
  VG_GANG_PART, // a branch whose lanes may part inside a gang
  VG_GANG_BARRIER,
  VG_GANG_END
};

static inline bool vg_is_unguarded(const struct vg_insn *i) {
  return i->guard == (0 | VG_CONSTANTS) && !i->guard_flip;
}

static inline bool vg_in_uniform(vg_place p) {
  return p != VG_NOWHERE && (p & 3) == VG_UNIFORM;
}

// Sets the kinds of a function's instructions, once their targets are known.
void vg_gang_prepare(struct vg_code *c);

#endif

// SPDX-License-Identifier: Apache-2.0
// From PTX to instructions, and what is read off them before they run.
#ifndef GPU_VGPU_CODE_CODE_H
#define GPU_VGPU_CODE_CODE_H

#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"

// Decodes every function; ERR_UNSUPPORTED names the instruction that nothing
// executes yet, and its line. The module's variables have their addresses.
enum err vg_module_decode(struct vg_module *m, struct err_info *e);

// ---- What is read off the code ----

// uniform.c: for each register, whether all threads of a block agree on it; to
// be freed.
bool *vg_find_uniform(const struct ptx_func *f, const bool *is_unwritten);

// unwritten.c: for each register, whether it may be read before anything wrote
// it; to be freed. `is_known` is false where that took too long to find out.
bool *vg_find_unwritten(const struct ptx_func *f, bool *is_known);
// The name that such a register has in the source, NULL where it is not known.
const char *vg_name_unwritten(const struct ptx_func *f, int reg);

// Marks the branches that close a loop which only waits (spin.c).
void vg_find_waits(struct vg_code *c);

// Marks the barriers that threads may go past (bypass.c).
void vg_find_bypasses(struct vg_code *c);

// ---- gang_plan.c: all warps of a block in lock step ----

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

// SPDX-License-Identifier: Apache-2.0
// Which memory the instructions of a kernel can reach, read off its code.
#ifndef GPU_VGPU_CODE_REACH_H
#define GPU_VGPU_CODE_REACH_H

#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"

// Sets `written`, `unit_shift` and `shared_shift` of the code, by what it does
// itself, and `within` of accesses that can only mean one shared variable.
void vg_reach_find(struct vg_module *m, struct vg_code *c);
// When all are known: both shifts by what it may call, too.
void vg_reach_spread(struct vg_module *m);

// reach_local.c: the same of local variables, where debug information says
// where they lie.
void vg_reach_find_local(struct vg_module *m, struct vg_code *c);

#endif

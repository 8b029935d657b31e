// SPDX-License-Identifier: Apache-2.0
// Who runs an instruction.
#ifndef GPU_VGPU_CODE_HANDLERS_H
#define GPU_VGPU_CODE_HANDLERS_H

#include "gpu/vgpu/insn.h"

// Modules that are loaded from now on use these vectors at most; answers what
// they will use. For tests, which compare them: without it, the widest.
enum vg_isa { VG_PLAIN, VG_AVX2, VG_AVX512 };
enum vg_isa vg_isa_limit(enum vg_isa most);

// NULL when nothing executes the instruction.
vg_handler vg_find_handler(const struct ptx_insn *p);

// What runs in place of `run` for a gang's warps, or NULL.
vg_together vg_find_together(vg_handler run);

#endif

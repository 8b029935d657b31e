// SPDX-License-Identifier: Apache-2.0
// From PTX to instructions, and what is read off them before they run.
#ifndef GPU_VGPU_CODE_CODE_H
#define GPU_VGPU_CODE_CODE_H

#include "gpu/vgpu/function.h"

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

#endif

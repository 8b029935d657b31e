// SPDX-License-Identifier: Apache-2.0
// Which memory the instructions of a kernel can reach, read off its code.
#ifndef GPU_VGPU_REACH_H
#define GPU_VGPU_REACH_H

#include "gpu/vgpu/engine.h"

// A set of places that an address may come from: bit n is the parameter bytes
// [8n, 8n + 8).
enum { VG_REACH_PARAMS = 60 };
#define VG_REACH_LOCAL     (UINT64_C(1) << 60)
#define VG_REACH_VARIABLES (UINT64_C(1) << 61) // of the module
#define VG_REACH_SHARED    (UINT64_C(1) << 62)
#define VG_REACH_ANYTHING  (UINT64_C(1) << 63) // an address read from memory

// Sets `written`, `unit_shift` and `shared_shift` of the code, by what it does
// itself, and `within` of accesses that can only mean one shared variable.
void vg_reach_find(struct vg_module *m, struct vg_code *c);
// When all are known: both shifts by what it may call, too.
void vg_reach_spread(struct vg_module *m);

// reach_local.c: the same of local variables, where debug information says
// where they lie.
void vg_reach_find_local(struct vg_module *m, struct vg_code *c);

#endif

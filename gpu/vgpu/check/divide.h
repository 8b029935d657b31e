// SPDX-License-Identifier: Apache-2.0
// Integer divisions, some of them perhaps by zero.
#ifndef GPU_VGPU_CHECK_DIVIDE_H
#define GPU_VGPU_CHECK_DIVIDE_H

#include "gpu/vgpu/function.h"

// Reports the lanes of `m` that divide by zero.
void vg_report_division(struct vg_warp *w, const struct vg_insn *i, vg_mask m);

// Marks the divisions that no source has.
void vg_find_trip_counts(struct vg_code *c);

#endif

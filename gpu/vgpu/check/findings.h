// SPDX-License-Identifier: Apache-2.0
// What this room alone does with findings (check.h has the rest).
#ifndef GPU_VGPU_CHECK_FINDINGS_H
#define GPU_VGPU_CHECK_FINDINGS_H

#include "gpu/vgpu/check/check.h"

// vg_report for several lanes, when that mistake is known of an earlier thread,
// so that only their number counts; else false, and nothing is done.
bool vg_report_again(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const struct vg_fault *f);

// One lane's mistake at `i` in all its words.
void vg_finding_fill(struct gpu_finding *f, const struct vg_grid *g,
                     uint64_t block, uint32_t thread, const struct vg_insn *i,
                     const struct vg_fault *q);

#endif

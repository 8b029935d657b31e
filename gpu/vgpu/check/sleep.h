// SPDX-License-Identifier: Apache-2.0
// __nanosleep for longer than it can.
#ifndef GPU_VGPU_CHECK_SLEEP_H
#define GPU_VGPU_CHECK_SLEEP_H

#include "gpu/vgpu/function.h"

// Notes the lanes of `m` that ask for more than a millisecond.
void vg_report_sleep(struct vg_warp *w, const struct vg_insn *i, vg_mask m);

#endif

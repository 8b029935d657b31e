// SPDX-License-Identifier: Apache-2.0
// Forward and back.
#ifndef GPU_VGPU_DEBUG_DEBUG_GO_H
#define GPU_VGPU_DEBUG_DEBUG_GO_H

#include "gpu/vgpu/debug/debug.h"

enum vg_debug_how {
  VG_DEBUG_CONTINUE,
  VG_DEBUG_START,   // to the first line of the kernel's body
  VG_DEBUG_STEP,    // to another line
  VG_DEBUG_NEXT,    // likewise, over calls
  VG_DEBUG_STEPI,   // one instruction
  VG_DEBUG_FINISH,  // until the function returns
  VG_DEBUG_BARRIER, // to the next barrier
};
// Gives a command its steps.
void vg_debug_allow(struct vg_debug *d);
// Runs until something stops it; d->stop says what.
void vg_debug_go(struct vg_debug *d, enum vg_debug_how how);
// Goes back to the line before (with `over`, of the same function or its
// callers), or to the breakpoint that was hit last.
void vg_debug_back(struct vg_debug *d, bool over);
void vg_debug_reverse_continue(struct vg_debug *d);
// Shows the level-th caller of the thread in focus; false: there is none.
bool vg_debug_select(struct vg_debug *d, int level);
// Says where the focus stands.
void vg_debug_fill_stop(struct vg_debug *d, enum gpu_debug_reason why);

#endif

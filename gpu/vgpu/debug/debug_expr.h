// SPDX-License-Identifier: Apache-2.0
// Expressions over source variables.
#ifndef GPU_VGPU_DEBUG_DEBUG_EXPR_H
#define GPU_VGPU_DEBUG_DEBUG_EXPR_H

#include "gpu/vgpu/debug/debug_value.h"

// C's operators on numbers, comparisons, && and ||, [], ., ->, * and &.
enum err vg_eval(const struct vg_view *v, const char *text,
                 struct vg_value *out, struct err_info *e);
// Can it be evaluated where a thread stands before `at`? Nothing is read.
enum err vg_check_expression(struct vg_debug *d, const struct vg_insn *at,
                             const char *text, struct err_info *e);

// Is the condition, if there is one, true for the lane?
bool vg_break_holds(struct vg_debug *d, const struct vg_break *b,
                    const struct vg_warp *w, int lane);

#endif

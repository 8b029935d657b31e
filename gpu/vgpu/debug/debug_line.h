// SPDX-License-Identifier: Apache-2.0
// Source lines and breakpoints.
#ifndef GPU_VGPU_DEBUG_DEBUG_LINE_H
#define GPU_VGPU_DEBUG_DEBUG_LINE_H

#include "gpu/vgpu/debug/debug.h"

// Has the instruction a line in the learner's own source?
bool vg_debug_is_own(const struct vg_debug *d, const struct vg_insn *i);
const char *vg_debug_file(const struct vg_debug *d, const struct vg_insn *i);
int vg_debug_line(const struct vg_insn *i);
// The function that the instruction is part of.
const struct vg_code *vg_debug_code(const struct vg_debug *d,
                                    const struct vg_insn *i);
// The instruction that a function's body begins with, behind its parameters.
const struct vg_insn *vg_debug_body(const struct vg_code *c);
// A function's name in the source.
const char *vg_debug_function(const struct vg_code *c);

// Finds the instructions of a breakpoint at b->file and b->line, or at
// b->function, and puts the line that it stands at into b->line. ERR_NOT_FOUND
// says what there is.
enum err vg_break_place(struct vg_debug *d, struct vg_break *b,
                        struct err_info *e);
void vg_break_clear(struct vg_debug *d, struct vg_break *b);
// The breakpoint that the warp, ready to run, has come to; its lane that meets
// the condition becomes *lane.
struct vg_break *vg_break_hit(struct vg_debug *d, struct vg_warp *w, int *lane);

#endif

// SPDX-License-Identifier: Apache-2.0
// Answers about variables, added to d->text.
#ifndef GPU_VGPU_DEBUG_DEBUG_SHOW_H
#define GPU_VGPU_DEBUG_DEBUG_SHOW_H

#include "gpu/vgpu/debug/debug.h"

// `is_plain`: "name = value" lines for a program to read.
enum err vg_show_locals(struct vg_debug *d, bool is_plain, struct err_info *e);
enum err vg_show_expression(struct vg_debug *d, const char *text, bool is_plain,
                            struct err_info *e);
// Its bits: "mask = 0xff".
enum err vg_show_hex(struct vg_debug *d, const char *text, struct err_info *e);
// Its value in each lane of the warp in focus.
enum err vg_show_lanes(struct vg_debug *d, const char *text,
                       struct err_info *e);
// The same for a program: "LANE VALUE" lines, of the lanes that have one.
enum err vg_show_cells(struct vg_debug *d, const char *text,
                       struct err_info *e);
enum err vg_show_shared(struct vg_debug *d, const char *args,
                        struct err_info *e);
enum err vg_add_watch(struct vg_debug *d, const char *text, struct err_info *e);
// `now` NULL: what is there is a value that nothing wrote.
void vg_show_change(struct vg_debug *d, const struct vg_debug_watch *w,
                    const uint8_t *now);

#endif

// SPDX-License-Identifier: Apache-2.0
// Global memory: what exactly?
#ifndef GPU_VGPU_CHECK_RACE_GLOBAL_H
#define GPU_VGPU_CHECK_RACE_GLOBAL_H

#include "gpu/vgpu/check/watch.h"

// One lane's access to bytes of an allocation that is watched.
void vg_race_units(struct vg_warp *w, const struct vg_insn *i, int lane,
                   struct vg_watched *x, struct vg_span span);
// Lanes that store to one place, after another lane of this store: false when
// they must be looked at one by one.
bool vg_race_write_again(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                         struct vg_watched *x, uint64_t offset, uint32_t bytes);
// Units of one row, a lane each; false: look at them one by one.
bool vg_race_row(struct vg_warp *w, const struct vg_insn *i, int lane,
                 struct vg_watched *x, struct vg_units now);
// Tells of an element that a texture reads after the launch has written it.
bool vg_race_fetch(struct vg_warp *w, const struct vg_insn *i, int lane,
                   struct vg_watched *x, uint64_t offset, uint32_t bytes);
void vg_race_free(struct vg_watched *x);

#endif

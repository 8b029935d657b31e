// SPDX-License-Identifier: Apache-2.0
// A launch of which others run some blocks (check.h includes it).
#ifndef GPU_VGPU_CHECK_SHARE_H
#define GPU_VGPU_CHECK_SHARE_H

#include <stdbool.h>

struct vg_alloc;
struct vg_grid;
struct vg_span;

// From now on others write to what the launch may write: all of it is kept as it was.
// False where that cannot be; then none may. While blocks run.
bool vg_on_share(struct vg_grid *g);
// Of an array that is watched: the first bytes behind `s` that blocks which have ended
// used; false for none. Begins with 0 bytes at 0.
bool vg_next_used(const struct vg_alloc *a, struct vg_span *s);
// The launch has not begun: memory is as it was, and nothing is watched.
void vg_on_undo(struct vg_grid *g);

#endif

// SPDX-License-Identifier: Apache-2.0
// Memory that is looked at.
#ifndef GPU_VGPU_DEBUG_DEBUG_WATCH_H
#define GPU_VGPU_DEBUG_DEBUG_WATCH_H

#include "gpu/vgpu/debug/debug.h"

// What is known before a step that may change it.
struct vg_debug_watched {
  const struct vg_warp *warp; // NULL: it changes nothing
  uint64_t block;
  uint32_t number; // the warp's
  vg_mask lanes;
  uint32_t bytes;
  uint64_t at[VG_LANES]; // generic addresses of its stores
};
// Takes note of the value, so that a change shows.
void vg_debug_watch_note(struct vg_debug *d, struct vg_debug_watch *x);
void vg_debug_watch_before(struct vg_debug *d, struct vg_warp *w,
                           struct vg_debug_watched *out);
// The number of the watch that saw a change, 0 for none; the thread that made
// it comes into focus.
int vg_debug_watch_after(struct vg_debug *d,
                         const struct vg_debug_watched *before);

#endif

// SPDX-License-Identifier: Apache-2.0
// Where the learner's own code stands behind an instruction of a header
// (check.h has what other rooms ask).
#ifndef GPU_VGPU_CHECK_SITE_H
#define GPU_VGPU_CHECK_SITE_H

#include "gpu/vgpu/check/check.h"

const struct vg_insn *vg_site_find(const struct vg_frame *f,
                                   const struct vg_insn *i);

// As vg_site_of_lane, for the lanes that run.
static inline const struct vg_insn *vg_site(const struct vg_warp *w,
                                            const struct vg_insn *i) {
  return w->leaf && w->leaf->frame->caller ? vg_site_find(w->leaf->frame, i)
                                           : i;
}

#endif

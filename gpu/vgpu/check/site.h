// SPDX-License-Identifier: Apache-2.0
// Where the learner's own code stands behind an instruction of a header.
#ifndef GPU_VGPU_CHECK_SITE_H
#define GPU_VGPU_CHECK_SITE_H

#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/state.h"

struct vg_sites;

struct vg_sites *vg_sites_new(void);
void vg_sites_free(struct vg_sites *s); // NULL is fine

// Has the function only lines of the toolkit's headers?
bool vg_site_is_foreign(const struct vg_code *c);
// What the frame of a function keeps, which the instruction `call` calls.
const struct vg_insn *vg_site_of_call(const struct vg_frame *caller,
                                      const struct vg_insn *call,
                                      const struct vg_code *callee);

const struct vg_insn *vg_site_find(const struct vg_frame *f,
                                   const struct vg_insn *i);

// The instruction that the warp runs as a finding tells of it: of a header's
// function, the same with the place of the learner's line that called it.
static inline const struct vg_insn *vg_site(const struct vg_warp *w,
                                            const struct vg_insn *i) {
  return w->leaf && w->leaf->frame->caller ? vg_site_find(w->leaf->frame, i)
                                           : i;
}

// The same for a lane that may have got elsewhere, or may have ended.
const struct vg_insn *vg_site_of_lane(const struct vg_warp *w, int lane,
                                      const struct vg_insn *i);

#endif

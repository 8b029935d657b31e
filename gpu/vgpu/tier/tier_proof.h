// SPDX-License-Identifier: Apache-2.0
// Launches that are checked: what shows that the interpreter has nothing to say.
#ifndef GPU_VGPU_TIER_TIER_PROOF_H
#define GPU_VGPU_TIER_TIER_PROOF_H

#include "gpu/vgpu/tier/tier_run.h"

// May it run compiled at all, by what is known without looking at its arrays?
bool tier_proof_is_fit(const struct vg_grid *g);
// Does all that it reads hold values, and is all that it writes apart from what it
// reads through other parameters?
bool tier_proof_holds(const struct vg_grid *g, const struct vg_tier_kernel *k);
// Gives what it writes owners; false where there is no memory.
bool tier_proof_begin(struct vg_grid *g, struct vg_tier_launch *l);
// It ran: has each unit one owner, has the interpreter's part used none of those, and
// was it within its budget as the interpreter counts? Then what it wrote is marked as
// written.
bool tier_proof_end(struct vg_grid *g, struct vg_tier_launch *l);
void tier_proof_free(struct vg_grid *g, struct vg_tier_launch *l);

#endif

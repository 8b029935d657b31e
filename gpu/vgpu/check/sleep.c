// SPDX-License-Identifier: Apache-2.0
// Sleeps that no GPU sleeps. PTX ISA, "Miscellaneous Instructions: nanosleep":
// it takes nanoseconds, and a millisecond is the longest.
#include "gpu/vgpu/check/check.h"

#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/state.h"

enum { LONGEST_NS = 1000000 };

void vg_on_sleep(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_fault f = {.kind = ERR_SLEEP, .severity = GPU_NOTE};
  const uint32_t *ns = VG_AT(w, i->src[0]);
  if (!w->block->grid->is_checked)
    return;
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (ns[l] > LONGEST_NS)
      vg_report(w, i, l, &f);
  }
}

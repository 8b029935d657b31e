// SPDX-License-Identifier: Apache-2.0
// Integers divided by zero. PTX ISA, "Integer Arithmetic Instructions: div":
// the result is whatever the machine makes of it. Nothing stops, so that it
// shows only as a strange number somewhere else.
#include "gpu/vgpu/taint.h"

static vg_mask zeros(const struct vg_warp *w, const struct vg_insn *i) {
  uint32_t bytes = ptx_type_bytes((enum ptx_type)i->type);
  const uint8_t *row = VG_AT(w, i->src[1]);
  vg_mask zero = 0;
  for (int l = 0; l < VG_LANES; l++) {
    uint64_t y = bytes == 8 ? ((const uint64_t *)(const void *)row)[l]
                 : bytes == 4
                     ? ((const uint32_t *)(const void *)row)[l]
                     : (uint16_t)((const uint32_t *)(const void *)row)[l];
    zero |= (vg_mask)(y == 0) << l;
  }
  return zero;
}

void vg_report_division(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  struct vg_fault f = {.kind = ERR_DIVISION, .severity = GPU_WARNING};
  if (!w->block->grid->is_checked)
    return;
  for (m &= zeros(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t note;
    // Of a divisor that nothing wrote something else is to be said.
    if (!w->is_careful || !vg_taint_get(&v, i->src[1], l, &note))
      vg_report(w, i, l, &f);
  }
}

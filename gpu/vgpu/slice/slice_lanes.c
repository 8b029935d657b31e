// SPDX-License-Identifier: Apache-2.0
// What lanes hand each other, and what handlers move on their own.
#include "gpu/vgpu/slice/slice_parts.h"

#include <string.h>

#include "gpu/vgpu/launch.h"

static struct vg_slice_value shuffled(struct vg_slice *s,
                                      struct vg_slice_value v) {
  uint32_t flag = vg_fact_of_flags(s->facts, GPU_MADE_SHUFFLE);
  if (v.fact)
    v.fact = vg_fact_union(s->facts, v.fact, flag);
  return v;
}

void vg_slice_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       const uint8_t from[VG_LANES]) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_slice_value v[VG_LANES], r[VG_LANES], none[VG_LANES];
  struct vg_slice_value all = {0, 0};
  struct vg_frame *f = w->leaf->frame;
  if (!s)
    return;
  vg_slice_charge(w);
  const struct vg_slice_value *row = vg_slice_row(w, f, i->src[0]);
  memset(v, 0, sizeof v);
  memset(none, 0, sizeof none);
  for (vg_mask left = row ? m : 0; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    v[l] = row[l];
    all = vg_slice_join(s, all, v[l]);
  }
  all = shuffled(s, all);
  all.chain += all.fact && i->ptx->op == PTX_OP_REDUX;
  for (vg_mask left = m; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    r[l] = !from ? all : from[l] == l ? v[l] : shuffled(s, v[from[l]]);
  }
  vg_slice_put_row(w, f, i->dst, m, r);
  vg_slice_put_row(w, f, i->dst2, m, from ? none : r);
}

void vg_slice_read_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                         const uint64_t a[VG_LANES], uint32_t bytes) {
  struct vg_slice *s = w->block->grid->slice;
  for (; s && m; m &= m - 1) {
    int l = __builtin_ctz(m);
    s->read[l] = vg_slice_join(s, s->read[l],
                               vg_slice_load(w, l, i->space, a[l], bytes, 0));
  }
}

void vg_slice_write_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                          const uint64_t a[VG_LANES], uint32_t bytes) {
  struct vg_slice *s = w->block->grid->slice;
  for (; s && m; m &= m - 1) {
    int l = __builtin_ctz(m);
    vg_slice_store(w, l, i->space, a[l], bytes, s->write[l]);
    if (s->is_copying)
      vg_slice_copied(w, i->space, a[l], bytes);
  }
  if (s)
    s->is_copying = false;
}

struct vg_slice_value vg_slice_was_read(struct vg_warp *w, int lane) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_slice_value v = {0, 0};
  if (!s)
    return v;
  uint32_t flag = vg_fact_of_flags(s->facts, GPU_MADE_ASYNC);
  v = s->read[lane];
  s->read[lane] = (struct vg_slice_value){0, 0};
  if (v.fact)
    v.fact = vg_fact_union(s->facts, v.fact, flag);
  return v;
}

void vg_slice_will_write(struct vg_warp *w, int lane, struct vg_slice_value v) {
  struct vg_slice *s = w->block->grid->slice;
  if (!s)
    return;
  s->write[lane] = v;
  s->is_copying = true;
}

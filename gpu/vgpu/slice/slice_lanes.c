// SPDX-License-Identifier: Apache-2.0
// What lanes hand each other, and what handlers move on their own.
#include "gpu/vgpu/slice/slice_parts.h"

#include <string.h>

#include "gpu/vgpu/launch.h"

// What went through a shuffle or a vote has `flag`, where it has anything.
static struct vg_slice_value shuffled(struct vg_slice *s,
                                      struct vg_slice_value v, uint32_t flag) {
  if (v.fact)
    v.fact = vg_fact_union(s->facts, v.fact, flag);
  return v;
}

// Of a lane that takes part; others give nothing.
static struct vg_slice_value
given(vg_mask m, const struct vg_slice_value row[VG_LANES], int lane) {
  return m >> lane & 1 ? row[lane] : (struct vg_slice_value){0, 0};
}

// What all lanes of a vote bring; nobody asks for it after a shuffle.
static struct vg_slice_value
join_lanes(struct vg_slice *s, vg_mask m,
           const struct vg_slice_value row[VG_LANES]) {
  struct vg_slice_value all = {0, 0};
  for (; m; m &= m - 1)
    all = vg_slice_join(s, all, row[__builtin_ctz(m)]);
  return all;
}

void vg_slice_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       const uint8_t from[VG_LANES]) {
  struct vg_slice *s = w->block->grid->slice;
  static const struct vg_slice_value none[VG_LANES];
  struct vg_slice_value r[VG_LANES], all;
  if (!s)
    return;
  vg_slice_charge(w);
  struct vg_frame *f = w->leaf->frame;
  const struct vg_slice_value *row = vg_slice_row(w, f, i->src[0]);
  uint32_t flag = vg_fact_of_flags(s->facts, GPU_MADE_SHUFFLE);
  if (!row)
    row = none;
  if (!from) {
    all = shuffled(s, join_lanes(s, m, row), flag);
    all.chain += all.fact && i->ptx->op == PTX_OP_REDUX;
  }
  for (vg_mask left = m; left; left &= left - 1) {
    int l = __builtin_ctz(left), k = from ? from[l] : l;
    r[l] = !from ? all : k == l ? row[l] : shuffled(s, given(m, row, k), flag);
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

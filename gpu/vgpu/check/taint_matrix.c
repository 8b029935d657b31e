// SPDX-License-Identifier: Apache-2.0
// What matrix products make of undefined values: an element of the result is
// undefined when anything in its row of A, its column of B or its own element of
// C is. Of a tile whose unused rest is undefined by right, the rest of the result
// is undefined, which nobody looks at.
//
// PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions".
#include "gpu/vgpu/check/taint.h"

#include <string.h>

#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/matrix/matrix.h"

// Notes of what is undefined; 0: nothing.
struct lines {
  uint32_t rows[VG_MAX_DIM], columns[VG_MAX_DIM];
  uint32_t sums[VG_MAX_DIM * VG_MAX_DIM];
};

static uint64_t bits_of_part(const struct vg_fragment *f, int e) {
  int bits = ptx_element_bits((enum ptx_element)f->type);
  return bits == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << bits) - 1) << e * bits;
}

static bool any_of(const struct vg_taint_view *v, const struct vg_fragment *f) {
  bool any = false;
  for (int r = 0; r < f->count; r++)
    any |= vg_taint_any(v, f->at[r]);
  return any;
}

// Puts the note of each undefined element where it matters.
static void look_at(const struct vg_taint_view *v, const struct vg_matrix *x,
                    int fragment, const struct vg_fragment *f,
                    struct lines *out) {
  for (int r = 0; r < f->count; r++)
    for (int l = 0; vg_taint_any(v, f->at[r]) && l < VG_LANES; l++) {
      uint64_t bits = vg_taint_bits(v, f->at[r], l);
      for (int e = 0; bits && e < f->per_place; e++) {
        if (!(bits & bits_of_part(f, e)))
          continue;
        struct vg_element at = vg_matrix_element(x, fragment, f, l, r, e);
        uint32_t *to = fragment == PTX_FRAGMENT_A ? &out->rows[at.row]
                       : fragment == PTX_FRAGMENT_B
                           ? &out->columns[at.col]
                           : &out->sums[at.row * x->ptx->n + at.col];
        *to = vg_taint_note(v, f->at[r], l);
      }
    }
}

static void put_results(const struct vg_taint_view *v,
                        const struct vg_matrix *x, vg_mask m,
                        const struct lines *from) {
  const struct vg_fragment *d = &x->d;
  for (int r = 0; r < d->count; r++) {
    for (vg_mask rest = m; rest; rest &= rest - 1) {
      int l = __builtin_ctz(rest);
      uint64_t bits = 0;
      uint32_t note = 0;
      for (int e = 0; e < d->per_place; e++) {
        struct vg_element at = vg_matrix_element(x, PTX_FRAGMENT_C, d, l, r, e);
        uint32_t sum = from->sums[at.row * x->ptx->n + at.col];
        uint32_t of = sum                  ? sum
                      : from->rows[at.row] ? from->rows[at.row]
                                           : from->columns[at.col];
        bits |= of ? bits_of_part(d, e) : 0;
        note = of ? of : note;
      }
      vg_taint_put_bits(v, d->at[r], l, bits, note);
    }
    vg_taint_settle(v, d->at[r]);
  }
}

bool vg_taint_run_product(const struct vg_taint_view *v,
                          const struct vg_insn *i, vg_mask m) {
  const struct vg_matrix *x = i->matrix;
  struct lines lines = {{0}, {0}, {0}};
  if (!x->a.count ||
      (!any_of(v, &x->a) && !any_of(v, &x->b) && !any_of(v, &x->c)))
    return false;
  vg_charge(v->w, VG_TAINT_COST * VG_LANES);
  look_at(v, x, PTX_FRAGMENT_A, &x->a, &lines);
  look_at(v, x, PTX_FRAGMENT_B, &x->b, &lines);
  look_at(v, x, PTX_FRAGMENT_C, &x->c, &lines);
  for (int n = 0; n < VG_MAX_DIM * VG_MAX_DIM; n++)
    vg_taint_read(v->w, i, lines.sums[n]);
  for (int n = 0; n < VG_MAX_DIM; n++) {
    vg_taint_read(v->w, i, lines.rows[n]);
    vg_taint_read(v->w, i, lines.columns[n]);
  }
  v->w->is_put_off = false;
  i->run(v->w, i, m);
  if (!v->w->is_put_off)
    put_results(v, x, m, &lines);
  return true;
}

// SPDX-License-Identifier: Apache-2.0
// What matrix instructions make of facts.
//
// An element of a product is made of a row of A, a column of B and its own
// element of C. A row or a column of zeros makes a product that knows nothing
// of the other, as a factor of zero does.
#include "gpu/vgpu/slice/slice.h"

#include <string.h>

#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/matrix/matrix.h"
#include "gpu/vgpu/state.h"

// Measured beside an instruction on registers: its many elements.
enum { MATRIX_COST = 3000 };

// ---- Rows of A, columns of B ----

struct line {
  struct vg_slice_value v;
  bool is_zero;
};

static uint64_t place_bits(struct vg_warp *w, const struct vg_fragment *f,
                           int r, int lane) {
  const void *row = VG_AT(w, f->at[r]);
  return f->is_wide ? ((const uint64_t *)row)[lane]
                    : ((const uint32_t *)row)[lane];
}

// Is part `e` of these bits zero, of either sign?
static bool is_zero_part(const struct vg_fragment *f, uint64_t v, int e) {
  int bits = ptx_element_bits((enum ptx_element)f->type);
  int used = ptx_element_is_float((enum ptx_element)f->type) ? bits - 1 : bits;
  v >>= e * bits;
  return !(used == 64 ? v : v & ((UINT64_C(1) << used) - 1));
}

static void take_lines(struct vg_warp *w, const struct vg_slice_step *x,
                       int fragment, const struct vg_fragment *f,
                       struct line out[VG_MAX_DIM]) {
  const struct vg_matrix *y = x->i->matrix;
  for (int n = 0; n < VG_MAX_DIM; n++)
    out[n] = (struct line){.is_zero = true};
  for (int r = 0; r < f->count; r++)
    for (int l = 0; l < VG_LANES; l++) {
      struct vg_slice_value v = vg_slice_get(w, x->frame, f->at[r], l);
      uint64_t bits = place_bits(w, f, r, l);
      for (int e = 0; e < f->per_place; e++) {
        struct vg_element at = vg_matrix_element(y, fragment, f, l, r, e);
        struct line *to = &out[fragment == PTX_FRAGMENT_A ? at.row : at.col];
        to->v = vg_slice_join(w->block->grid->slice, to->v, v);
        to->is_zero &= is_zero_part(f, bits, e);
      }
    }
}

static struct vg_slice_value product(struct vg_slice *s, const struct line *a,
                                     const struct line *b) {
  struct vg_slice_value v = {0, 0};
  if (a->is_zero || !b->is_zero)
    v = vg_slice_join(s, v, a->v);
  if (b->is_zero || !a->is_zero)
    v = vg_slice_join(s, v, b->v);
  if (!v.fact)
    return v;
  uint32_t flag =
      vg_fact(s->facts, (struct vg_slice_fact){.flags = GPU_MADE_TENSOR});
  return vg_slice_join(s, v, (struct vg_slice_value){flag, 0});
}

// ---- mma ----

typedef struct vg_slice_value elements[VG_MAX_DIM * VG_MAX_DIM];

static void take_sums(struct vg_warp *w, const struct vg_slice_step *x,
                      elements out) {
  const struct vg_matrix *y = x->i->matrix;
  for (int r = 0; r < y->c.count; r++)
    for (int l = 0; l < VG_LANES; l++)
      for (int e = 0; e < y->c.per_place; e++) {
        struct vg_element at =
            vg_matrix_element(y, PTX_FRAGMENT_C, &y->c, l, r, e);
        out[at.row * y->ptx->n + at.col] =
            vg_slice_get(w, x->frame, y->c.at[r], l);
      }
}

static void multiply(struct vg_warp *w, struct vg_slice_step *x) {
  struct vg_slice *s = w->block->grid->slice;
  const struct vg_matrix *y = x->i->matrix;
  struct line rows[VG_MAX_DIM], columns[VG_MAX_DIM];
  elements sums = {{0, 0}};
  take_lines(w, x, PTX_FRAGMENT_A, &y->a, rows);
  take_lines(w, x, PTX_FRAGMENT_B, &y->b, columns);
  take_sums(w, x, sums);
  for (int r = 0; r < y->d.count; r++)
    for (int l = 0; l < VG_LANES; l++) {
      struct vg_slice_value v = {0, 0};
      for (int e = 0; e < y->d.per_place; e++) {
        struct vg_element at =
            vg_matrix_element(y, PTX_FRAGMENT_C, &y->d, l, r, e);
        v = vg_slice_join(s, v, product(s, &rows[at.row], &columns[at.col]));
        v = vg_slice_join(s, v, sums[at.row * y->ptx->n + at.col]);
      }
      v.chain += v.fact != 0;
      x->matrix[r][l] = v;
    }
}

// ---- Loads, stores, moves ----

// wmma.store writes what the lane itself holds.
static void give_own(struct vg_warp *w, const struct vg_slice_step *x) {
  struct vg_slice *s = w->block->grid->slice;
  const struct vg_fragment *f = &x->i->matrix->c;
  for (int l = 0; l < VG_LANES; l++)
    for (int r = 0; r < f->count; r++)
      s->write[l] =
          vg_slice_join(s, s->write[l], vg_slice_get(w, x->frame, f->at[r], l));
}

// What register r of the lanes `m` holds.
static struct vg_slice_value
held_by(struct vg_warp *w, const struct vg_slice_step *x, int r, vg_mask m) {
  struct vg_slice_value v = {0, 0};
  for (; m; m &= m - 1)
    v = vg_slice_join(
        w->block->grid->slice, v,
        vg_slice_get(w, x->frame, x->i->matrix->c.at[r], __builtin_ctz(m)));
  return v;
}

void vg_slice_before_matrix(struct vg_warp *w, struct vg_slice_step *x) {
  struct vg_slice *s = w->block->grid->slice;
  const struct vg_matrix *y = x->i->matrix;
  x->is_matrix = true;
  w->block->executed += MATRIX_COST;
  memset(s->read, 0, sizeof s->read);
  memset(s->write, 0, sizeof s->write);
  if (y->a.count)
    multiply(w, x);
  else if (x->i->ptx->op == PTX_OP_STMATRIX)
    for (int l = 0; l < y->c.count * 8; l++)
      s->write[l] = held_by(w, x, l / 8, vg_matrix_givers(x->i, l % 8));
  else if (x->i->ptx->op == PTX_OP_MOVMATRIX)
    for (int l = 0; l < VG_LANES; l++)
      x->matrix[0][l] = held_by(w, x, 0, vg_matrix_givers(x->i, l));
  else
    give_own(w, x);
}

// Loads hand on what was read meanwhile: wmma's by the lane itself, ldmatrix's
// by the lanes with the addresses of the rows.
static struct vg_slice_value
loaded(struct vg_warp *w, const struct vg_slice_step *x, int r, int lane) {
  struct vg_slice *s = w->block->grid->slice;
  struct vg_slice_value v = {0, 0};
  if (x->i->ptx->op != PTX_OP_LDMATRIX)
    return s->read[lane];
  for (uint32_t m = vg_matrix_givers(x->i, lane); m; m &= m - 1)
    v = vg_slice_join(s, v, s->read[8 * r + __builtin_ctz(m)]);
  return v;
}

void vg_slice_after_matrix(struct vg_warp *w, struct vg_slice_step *x) {
  const struct vg_fragment *d = &x->i->matrix->d;
  bool loads = x->i->ptx->op == PTX_OP_LDMATRIX ||
               (x->i->ptx->op == PTX_OP_WMMA && !x->i->matrix->a.count);
  for (int r = 0; r < d->count; r++)
    for (int l = 0; l < VG_LANES; l++)
      vg_slice_put(w, x->frame, d->at[r], l,
                   loads ? loaded(w, x, r, l) : x->matrix[r][l]);
  memset(w->block->grid->slice->read, 0, sizeof w->block->grid->slice->read);
}

// SPDX-License-Identifier: Apache-2.0
// Decodes matrix products, cp.async and mbarriers.
#include "gpu/vgpu/code/decode.h"

#include <string.h>

#include "base/region.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"

// ---- Matrix and asynchronous instructions ----

static void decode_fragment(struct decoder *d, const struct ptx_insn *p,
                            const struct ptx_operand *o, int type, bool target_,
                            struct vg_fragment *f) {
  int bits = ptx_element_bits((enum ptx_element)type);
  f->type = (uint8_t)type;
  f->is_wide = bits == 64;
  f->per_place = (uint8_t)(bits == 64 ? 1 : 32 / bits);
  const struct vg_place_list *v =
      vg_vector_places(d, p, o, f->is_wide ? 8 : 4, target_);
  f->count = v->count;
  memcpy(f->at, v->at, sizeof f->at);
}

// All elements of the matrix have a place: as many registers as PTX says.
static void spread_fragment(struct decoder *d, const struct ptx_insn *p,
                            const struct vg_matrix *y, int fragment,
                            struct vg_fragment *f, bool may_repeat) {
  int rows = fragment == PTX_FRAGMENT_B ? y->ptx->k : y->ptx->m;
  int cols = fragment == PTX_FRAGMENT_A ? y->ptx->k : y->ptx->n;
  int have = f->count * f->per_place * VG_LANES, all = rows * cols;
  if (!all || all % VG_LANES || have < all || have % all ||
      (have > all && !may_repeat) || have > VG_MAX_PARTS * VG_LANES) {
    vg_decode_fail(d, p, "a fragment of so many registers");
    return;
  }
  struct vg_spread *s = region_alloc(d->module->region, sizeof *s);
  vg_matrix_spread(y, fragment, f, s);
  f->spread = s;
}

static bool is_shape(const struct ptx_matrix *x, int m, int n, int k) {
  return x->m == m && x->n == n && x->k == k;
}

// mma.m16n8k* and mma.m8n8k*: a 32-bit register of A holds 4 lanes' share of a
// row, so k is a multiple of what four registers hold.
static bool is_mma_shape(const struct ptx_matrix *x,
                         const struct vg_matrix *y) {
  int step = 4 * y->a.per_place;
  bool is_wide = x->m == 16 && x->n == 8;
  if (!is_wide && !(x->m == 8 && x->n == 8 && x->k == step))
    return false;
  return x->k && x->k % step == 0 && x->k <= (y->a.is_wide ? 4 : 2) * step;
}

static bool is_wmma_shape(const struct ptx_matrix *x, int type) {
  switch (type) {
  case PTX_EL_TF32: return is_shape(x, 16, 16, 8);
  case PTX_EL_F64: return is_shape(x, 8, 8, 4);
  case PTX_EL_S4:
  case PTX_EL_U4: return is_shape(x, 8, 8, 32);
  case PTX_EL_B1: return is_shape(x, 8, 8, 128);
  default:
    return is_shape(x, 16, 16, 16) || is_shape(x, 32, 8, 16) ||
           is_shape(x, 8, 32, 16);
  }
}

// Do the types of a product go together?
static bool are_mma_types(int d, int a, int b, int c) {
  bool is_small = a >= PTX_EL_S8 && a <= PTX_EL_U4;
  switch (a) {
  case PTX_EL_F16:
    return b == a && (d == PTX_EL_F16 || d == PTX_EL_F32) &&
           (c == PTX_EL_F16 || c == PTX_EL_F32);
  case PTX_EL_F64: return b == a && d == a && c == a;
  case PTX_EL_BF16:
  case PTX_EL_TF32: return b == a && d == PTX_EL_F32 && c == d;
  case PTX_EL_E4M3:
  case PTX_EL_E5M2:
    return (b == PTX_EL_E4M3 || b == PTX_EL_E5M2) && d == c &&
           (d == PTX_EL_F32 || d == PTX_EL_F16);
  case PTX_EL_B1: return b == a && d == PTX_EL_S32 && c == d;
  default:
    return is_small && b >= PTX_EL_S8 && b <= PTX_EL_U4 &&
           (a >= PTX_EL_S4) == (b >= PTX_EL_S4) && d == PTX_EL_S32 && c == d;
  }
}

static void decode_product(struct decoder *d, const struct ptx_insn *p,
                           struct vg_matrix *y) {
  const struct ptx_matrix *x = p->matrix;
  const struct ptx_operand *o = p->operands;
  int td = x->types[0], ta = x->types[1], tb = x->types[2], tc = x->types[3];
  if (x->type_count == 2) { // wmma's f16 products name d and c only
    tc = ta;
    ta = tb = PTX_EL_F16;
  } else if (x->type_count != 4) {
    vg_decode_fail(d, p, "a matrix product of these types");
    return;
  }
  if (!are_mma_types(td, ta, tb, tc) || x->layout_count != 2 ||
      (ta == PTX_EL_B1) != (x->bit_op != PTX_BITS_NONE)) {
    vg_decode_fail(d, p, "a matrix product of these types");
    return;
  }
  decode_fragment(d, p, &o[1], ta, false, &y->a);
  decode_fragment(d, p, &o[2], tb, false, &y->b);
  decode_fragment(d, p, &o[3], tc, false, &y->c);
  decode_fragment(d, p, &o[0], td, true, &y->d);
  bool is_wmma = y->layout == VG_LAYOUT_WMMA;
  if (is_wmma ? !is_wmma_shape(x, ta)
              : !is_mma_shape(x, y) || x->is_col[0] || !x->is_col[1]) {
    vg_decode_fail(d, p, "a matrix product of this shape");
    return;
  }
  bool repeats = is_wmma && ta == PTX_EL_F16;
  spread_fragment(d, p, y, PTX_FRAGMENT_A, &y->a, repeats);
  spread_fragment(d, p, y, PTX_FRAGMENT_B, &y->b, repeats);
  spread_fragment(d, p, y, PTX_FRAGMENT_C, &y->c, false);
  spread_fragment(d, p, y, PTX_FRAGMENT_C, &y->d, false);
}

// wmma.load.{a,b,c} d, [p]{, stride} and wmma.store.d [p], d{, stride}.
static void decode_wmma_memory(struct decoder *d, const struct ptx_insn *p,
                               struct vg_insn *i, struct vg_matrix *y) {
  const struct ptx_matrix *x = p->matrix;
  const struct ptx_operand *o = p->operands;
  bool is_store = x->step == PTX_MATRIX_STORE;
  int type = x->types[0], rows, cols;
  y->fragment = (enum ptx_fragment)(is_store ? PTX_FRAGMENT_C : x->fragment);
  if (x->type_count != 1 || x->layout_count != 1 ||
      o[is_store ? 0 : 1].kind != PTX_ADDRESS) {
    vg_decode_fail(d, p, "a fragment of these types");
    return;
  }
  rows = y->fragment == PTX_FRAGMENT_B ? x->k : x->m;
  cols = y->fragment == PTX_FRAGMENT_A ? x->k : x->n;
  y->is_col = x->is_col[0];
  bool is_tiny = ptx_element_bits((enum ptx_element)type) < 8;
  if (is_tiny && y->is_col != (y->fragment == PTX_FRAGMENT_B)) {
    vg_decode_fail(d, p, "a fragment of this layout");
    return;
  }
  vg_decode_address(d, p, &o[is_store ? 0 : 1], i);
  i->space = vg_access_space(d, p, i);
  decode_fragment(d, p, &o[is_store ? 1 : 0], type, !is_store,
                  is_store ? &y->c : &y->d);
  spread_fragment(d, p, y, y->fragment, is_store ? &y->c : &y->d,
                  type == PTX_EL_F16 && y->fragment != PTX_FRAGMENT_C);
  y->stride = p->operand_count > 2
                  ? vg_source_place(d, p, &o[2], 4)
                  : vg_constant_row(d, (uint64_t)(y->is_col ? rows : cols), 4);
}

// ldmatrix d, [p]; stmatrix [p], d; movmatrix d, a.
static void decode_eights(struct decoder *d, const struct ptx_insn *p,
                          struct vg_insn *i, struct vg_matrix *y) {
  const struct ptx_matrix *x = p->matrix;
  const struct ptx_operand *o = p->operands;
  bool is_move = p->op == PTX_OP_MOVMATRIX, is_load = p->op == PTX_OP_LDMATRIX;
  int count = is_move ? 1 : x->count;
  if (x->type_count != 1 || x->types[0] != PTX_EL_B16 || x->m != 8 ||
      x->n != 8 || x->k || !count ||
      (!is_move && o[is_load ? 1 : 0].kind != PTX_ADDRESS)) {
    vg_decode_fail(d, p, "matrices of this shape");
    return;
  }
  if (!is_move) {
    vg_decode_address(d, p, &o[is_load ? 1 : 0], i);
    i->space = vg_access_space(d, p, i);
  }
  if (is_load || is_move)
    decode_fragment(d, p, &o[0], PTX_EL_B16, true, &y->d);
  if (!is_load)
    decode_fragment(d, p, &o[1], PTX_EL_B16, false, &y->c);
  if ((is_load ? y->d : y->c).count != count)
    vg_decode_fail(d, p, "so many registers");
}

void vg_decode_matrix(struct decoder *d, const struct ptx_insn *p,
                      struct vg_insn *i) {
  struct vg_matrix *y = region_alloc(d->module->region, sizeof *y);
  y->ptx = p->matrix;
  y->layout = p->op == PTX_OP_WMMA ? VG_LAYOUT_WMMA : VG_LAYOUT_MMA;
  y->stride = vg_constant_row(d, 0, 4);
  i->matrix = y;
  if (p->op == PTX_OP_MMA ||
      (p->op == PTX_OP_WMMA && p->matrix->step == PTX_MATRIX_MMA))
    decode_product(d, p, y);
  else if (p->op == PTX_OP_WMMA)
    decode_wmma_memory(d, p, i, y);
  else
    decode_eights(d, p, i, y);
}

// An address operand as an access of its own.
static const struct vg_insn *decode_access(struct decoder *d,
                                           const struct ptx_insn *p,
                                           const struct ptx_operand *o,
                                           int space, int bytes) {
  struct vg_insn *i = region_alloc(d->module->region, sizeof *i);
  *i = (struct vg_insn){.guard = 0 | VG_CONSTANTS,
                        .dst = VG_NOWHERE,
                        .dst2 = VG_NOWHERE,
                        .space = (uint8_t)space,
                        .bytes = (uint8_t)bytes,
                        .vec = 1,
                        .ptx = p};
  if (o->kind != PTX_ADDRESS)
    vg_decode_fail(d, p, "an operand that is no address");
  else
    vg_decode_address(d, p, o, i);
  return i;
}

// Behind [to], [from] and the size of cp.async: how much of it is read, or a
// predicate that says none is; a cache policy changes nothing.
static void decode_copy_source(struct decoder *d, const struct ptx_insn *p,
                               const struct ptx_operand *o,
                               struct vg_async *x) {
  if (o->kind == PTX_REGISTER && vg_is_predicate(d, o->reg)) {
    x->ignore = vg_predicate_place(d, p, o);
    x->ignore_flip = o->negate ? VG_ALL : 0;
  } else if (o->kind != PTX_REGISTER ||
             vg_lane_width((enum ptx_type)d->func->reg_types[o->reg]) == 4) {
    x->source = vg_source_place(d, p, o, 4);
  }
}

static void decode_copy(struct decoder *d, const struct ptx_insn *p,
                        struct vg_async *x) {
  const struct ptx_operand *o = p->operands;
  int count = p->operand_count, n = 0;
  bool is_bulk = p->mods & PTX_MOD_BULK;
  if (p->mods &
      (PTX_MOD_PREFETCH | PTX_MOD_L2 | PTX_MOD_COMMIT_GROUP | PTX_MOD_WAIT_ALL))
    return;
  if (p->mods & PTX_MOD_WAIT_GROUP) {
    if (count != 1)
      vg_decode_fail(d, p, "it wants a number of groups");
    else
      x->value = vg_source_place(d, p, &o[0], 4);
    return;
  }
  if (p->mods & PTX_MOD_MBARRIER) {
    if (count != 1)
      vg_decode_fail(d, p, "it wants an mbarrier");
    else
      x->barrier = decode_access(d, p, &o[0], PTX_SHARED, 8);
    return;
  }
  bool to_shared = p->mods & PTX_MOD_TO_SHARED;
  if (count < 3) {
    vg_decode_fail(d, p, "it wants two addresses and a size");
    return;
  }
  uint64_t bytes = is_bulk ? 16 : o[2].bits;
  if (!is_bulk && (!to_shared || o[2].kind != PTX_IMMEDIATE ||
                   (bytes != 4 && bytes != 8 && bytes != 16))) {
    vg_decode_fail(d, p, "a copy of this size");
    return;
  }
  x->to = decode_access(d, p, &o[n++], to_shared ? PTX_SHARED : PTX_GLOBAL,
                        (int)bytes);
  x->from = decode_access(
      d, p, &o[n++], p->mods & PTX_MOD_FROM_SHARED ? PTX_SHARED : PTX_GLOBAL,
      (int)bytes);
  x->bytes = vg_source_place(d, p, &o[n++], 4);
  if (p->mods & PTX_MOD_TX_BYTES) {
    if (count < 4)
      vg_decode_fail(d, p, "it wants an mbarrier");
    else
      x->barrier = decode_access(d, p, &o[n++], PTX_SHARED, 8);
  }
  if (!is_bulk && count > n)
    decode_copy_source(d, p, &o[n], x);
}

static void decode_mbarrier(struct decoder *d, const struct ptx_insn *p,
                            struct vg_insn *i, struct vg_async *x) {
  const struct ptx_operand *o = p->operands;
  int n = 0, count = p->operand_count;
  bool tests = p->mods & (PTX_MOD_TEST_WAIT | PTX_MOD_TRY_WAIT);
  if (p->mods & PTX_MOD_PENDING) {
    i->dst = vg_target_place(d, p, &o[0], 4);
    x->value = vg_source_place(d, p, &o[1], 8);
    return;
  }
  if (o[0].kind != PTX_ADDRESS) {
    if (tests && o[0].kind == PTX_REGISTER)
      i->dst = vg_predicate_place(d, p, &o[0]);
    else if (!tests && o[0].kind == PTX_REGISTER)
      i->dst = vg_target_place(d, p, &o[0], 8);
    n = 1;
  }
  if (n >= count || (tests && count < 3)) {
    vg_decode_fail(d, p, "so few operands");
    return;
  }
  x->barrier = decode_access(d, p, &o[n++], PTX_SHARED, 8);
  if (n < count)
    x->value = vg_source_place(d, p, &o[n],
                               tests && !(p->mods & PTX_MOD_PARITY) ? 8 : 4);
}

void vg_decode_async(struct decoder *d, const struct ptx_insn *p,
                     struct vg_insn *i) {
  struct vg_async *x = region_alloc(d->module->region, sizeof *x);
  x->mods = p->mods;
  x->source = x->ignore = x->value = VG_NOWHERE;
  x->bytes = vg_constant_row(d, 0, 4);
  i->async = x;
  if (p->op == PTX_OP_CP)
    decode_copy(d, p, x);
  else if (p->op == PTX_OP_MBARRIER)
    decode_mbarrier(d, p, i, x);
}

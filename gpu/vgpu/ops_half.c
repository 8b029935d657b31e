// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and their pairs: each lane's values are widened to double, where
// sums and products of them are exact or end in a sticky bit, and rounded once.
//
// PTX ISA: "Half Precision Floating Point Instructions", "Half Precision
// Comparison Instructions".
#include "gpu/vgpu/lanes.h"

#include <math.h>

#include "gpu/vgpu/half.h"

static bool is_half(int t) {
  return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
}
static bool is_pair(int t) {
  return t == PTX_F16X2 || t == PTX_BF16X2;
}
static enum vg_half kind_of(int t) {
  return t == PTX_F16 || t == PTX_F16X2 ? VG_F16 : VG_BF16;
}

// .ftz: subnormal values count as zero.
static double flush(double x, enum vg_half k) {
  double least = k == VG_F16 ? 0x1p-14 : 0x1p-126;
  return fabs(x) < least ? copysign(0, x) : x;
}

static double lesser(double x, double y) {
  return x < y || (x == y && signbit(x)) ? x : y;
}

static double choose(const struct vg_insn *i, double x, double y, bool is_max) {
  if (x != x || y != y)
    return i->ptx->nan || (x != x && y != y) ? (double)NAN : x != x ? y : x;
  return is_max ? -lesser(-x, -y) : lesser(x, y);
}

static double compute(const struct vg_insn *i, double x, double y, double z) {
  switch (i->ptx->op) {
  case PTX_OP_ADD: return vg_fma_sticky(x, 1, y);
  case PTX_OP_SUB: return vg_fma_sticky(x, 1, -y);
  case PTX_OP_MUL: return x * y;
  case PTX_OP_FMA: return vg_fma_sticky(x, y, z);
  case PTX_OP_MIN: return choose(i, x, y, false);
  case PTX_OP_MAX: return choose(i, x, y, true);
  case PTX_OP_EX2: return exp2(x);
  default: return tanh(x);
  }
}

static uint16_t one(const struct vg_insn *i, uint16_t a, uint16_t b,
                    uint16_t c) {
  enum vg_half k = kind_of(i->type);
  if (i->ptx->op == PTX_OP_ABS)
    return a & 0x7FFF;
  if (i->ptx->op == PTX_OP_NEG)
    return a ^ 0x8000;
  double v[3] = {vg_half_to_double(a, k), vg_half_to_double(b, k),
                 vg_half_to_double(c, k)};
  for (int n = 0; i->ftz && n < 3; n++)
    v[n] = flush(v[n], k);
  double r = compute(i, v[0], v[1], v[2]);
  if (i->sat)
    r = r > 0 ? (r < 1 ? r : 1) : 0;
  if (i->ptx->relu && !(r != r))
    r = r > 0 ? r : 0;
  if (i->ftz)
    r = flush(r, k);
  return vg_half_from_double(r, k, PTX_RN);
}

static void op_half(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  int sources = i->ptx->operand_count - 1;
  static const uint32_t zero[VG_LANES];
  const uint32_t *a = VG_AT(w, i->src[0]);
  const uint32_t *b = sources > 1 ? VG_AT(w, i->src[1]) : zero;
  const uint32_t *c = sources > 2 ? VG_AT(w, i->src[2]) : zero;
  uint32_t out[VG_LANES] = {0};
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    out[l] = one(i, (uint16_t)a[l], (uint16_t)b[l], (uint16_t)c[l]);
    if (is_pair(i->type))
      out[l] |= (uint32_t)one(i, (uint16_t)(a[l] >> 16), (uint16_t)(b[l] >> 16),
                              (uint16_t)(c[l] >> 16))
                << 16;
  }
  LANES_RUN(uint32_t, r = out[l])
}

// ---- Comparison ----

static bool holds(int cmp, double x, double y) {
  bool nan = x != x || y != y;
  switch (cmp) {
  case PTX_EQ: return x == y;
  case PTX_NE: return !nan && x != y;
  case PTX_LT: return x < y;
  case PTX_LE: return x <= y;
  case PTX_GT: return x > y;
  case PTX_GE: return x >= y;
  case PTX_EQU: return nan || x == y;
  case PTX_NEU: return x != y;
  case PTX_LTU: return !(x >= y);
  case PTX_LEU: return !(x > y);
  case PTX_GTU: return !(x <= y);
  case PTX_GEU: return !(x < y);
  case PTX_NUM: return !nan;
  default: return nan;
  }
}

static vg_mask compare(struct vg_warp *w, const struct vg_insn *i, int shift) {
  enum vg_half k = kind_of(i->type);
  const uint32_t *a = VG_AT(w, i->src[0]), *b = VG_AT(w, i->src[1]);
  vg_mask r = 0;
  for (int l = 0; l < VG_LANES; l++) {
    double x = vg_half_to_double((uint16_t)(a[l] >> shift), k);
    double y = vg_half_to_double((uint16_t)(b[l] >> shift), k);
    if (i->ftz) {
      x = flush(x, k);
      y = flush(y, k);
    }
    r |= (vg_mask)holds(i->cmp, x, y) << l;
  }
  return r;
}

// setp: p of the lower, q of the upper half in a pair; else q is the opposite.
static void op_setp_half(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  vg_mask p = compare(w, i, 0);
  vg_mask q = is_pair(i->type) ? compare(w, i, 16) : ~p;
  if (i->boolop != PTX_BOOL_NONE) {
    vg_mask c = get_predicate(w, i->src[2]) ^ i->flip;
    p = i->boolop == PTX_BOOL_AND  ? p & c
        : i->boolop == PTX_BOOL_OR ? p | c
                                   : p ^ c;
    q = i->boolop == PTX_BOOL_AND  ? q & c
        : i->boolop == PTX_BOOL_OR ? q | c
                                   : q ^ c;
  }
  set_predicate(w, i->dst, m, p);
  set_predicate(w, i->dst2, m, q);
}

vg_handler vg_find_half(const struct ptx_insn *p) {
  if (!is_half(p->type) || p->abs)
    return NULL;
  if (p->round != PTX_ROUND_NONE && p->round != PTX_RN)
    return NULL;
  switch (p->op) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_MUL:
  case PTX_OP_FMA:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_ABS:
  case PTX_OP_NEG:
  case PTX_OP_EX2:
  case PTX_OP_TANH: return op_half;
  case PTX_OP_SETP: return op_setp_half;
  default: return NULL;
  }
}

// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and their pairs: each lane's values are widened to double, where
// sums and products of them are exact or end in a sticky bit, and rounded once.
//
// PTX ISA: "Half Precision Floating Point Instructions", "Half Precision
// Comparison Instructions".
#include "gpu/vgpu/ops/ops.h"

#include <math.h>

#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/ops/half.h"

enum { OUT_OF_BOUNDS = 0x7FFF }; // the NaN that fma.oob takes for zero

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
  uint16_t least = k == VG_F16 ? 0x0400 : 0x0080, sign = 0;
  bool is_sign = i->ptx->op == PTX_OP_ABS || i->ptx->op == PTX_OP_NEG;
  if (is_sign && i->ftz && (a & 0x7FFF) < least)
    a &= 0x8000;
  if (is_sign && (a & 0x7FFF) > (k == VG_F16 ? 0x7C00 : 0x7F80))
    return 0x7FFF; // "an unspecified NaN": that of an H200
  if (is_sign)
    return i->ptx->op == PTX_OP_ABS ? a & 0x7FFF : a ^ 0x8000;
  if (i->ptx->oob &&
      (a == OUT_OF_BOUNDS || b == OUT_OF_BOUNDS || c == OUT_OF_BOUNDS))
    return 0;
  if (i->ptx->abs) { // .xorsign.abs
    sign = (a ^ b) & 0x8000;
    a &= 0x7FFF;
    b &= 0x7FFF;
  }
  double v[3] = {vg_half_to_double(a, k), vg_half_to_double(b, k),
                 vg_half_to_double(c, k)};
  for (int n = 0; i->ftz && n < 3; n++)
    v[n] = flush(v[n], k);
  double r = compute(i, v[0], v[1], v[2]);
  double unit = k == VG_F16 ? 0x1p-10 : 0x1p-7;
  double normal = k == VG_F16 ? 0x1p-14 : 0x1p-126;
  if (i->ftz && r == r && vg_is_tiny(r, normal, unit, PTX_RN))
    r = copysign(0, r);
  if (i->sat)
    r = r > 0 ? (r < 1 ? r : 1) : 0;
  if (i->ptx->relu && !(r != r))
    r = r > 0 ? r : 0;
  if (r != r)
    return 0x7FFF;
  return vg_half_from_double(r, k, PTX_RN) | sign;
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

static vg_mask compare(struct vg_warp *w, const struct vg_insn *i, int type,
                       int shift) {
  enum vg_half k = kind_of(type);
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
  vg_mask p = compare(w, i, i->type, 0);
  vg_mask q = is_pair(i->type) ? compare(w, i, i->type, 16) : ~p;
  set_predicate(w, i->dst, m, with_boolop(w, i, p));
  set_predicate(w, i->dst2, m, with_boolop(w, i, q));
}

// set: all ones, or 1.0, where it holds; the halves of a pair each.
static void op_set_half(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask p = with_boolop(w, i, compare(w, i, i->type2, 0)), q = 0;
  uint32_t yes = i->type == PTX_F16 || i->type == PTX_F16X2     ? 0x3C00
                 : i->type == PTX_BF16 || i->type == PTX_BF16X2 ? 0x3F80
                 : is_pair(i->type2)                            ? 0xFFFF
                                                                : VG_ALL;
  if (is_pair(i->type2))
    q = with_boolop(w, i, compare(w, i, i->type2, 16));
  LANES_RUN(uint32_t, r = (p >> l & 1 ? yes : 0) | (q >> l & 1 ? yes << 16 : 0))
}

vg_handler vg_find_half(const struct ptx_insn *p) {
  if (p->op == PTX_OP_SET)
    return is_half(p->type2) ? op_set_half : NULL;
  if (!is_half(p->type))
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

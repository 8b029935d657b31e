// SPDX-License-Identifier: Apache-2.0
// Conversions to and from the formats of tensor cores: tf32, pairs of e4m3 and
// e5m2; and cvt.pack, which packs saturated integers.
//
// PTX ISA: "cvt", "cvt.pack", "Alternate Floating-Point Data Formats".
#include "gpu/vgpu/ops/ops.h"

#include <math.h>

#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/ops/half.h"

// ---- tf32 ----

// PTX leaves the bits of NaN open: as on an H200, where those are NaN.
static uint32_t tf32_nan(const struct vg_insn *i, uint32_t bits) {
  uint32_t r = (bits & 0xFFFFE000) - (i->ptx->satfinite ? 0x2000 : 0);
  if (i->round != PTX_RNA)
    return 0x7FFFE000;
  return (r & 0x7FFFFFFF) > 0x7F800000 ? r : 0x7FFFFFFF;
}

// An f32 whose last 13 bits are zero.
static uint32_t to_tf32(const struct vg_insn *i, uint32_t bits) {
  uint32_t sign = bits & 0x80000000u, a = bits & 0x7FFFFFFFu;
  if (a > 0x7F800000u)
    return tf32_nan(i, bits);
  if (i->ptx->relu && sign)
    return 0;
  uint32_t rest = a & 0x1FFF, low = a & ~UINT32_C(0x1FFF);
  bool up = i->round == PTX_RNA ? rest >= 0x1000
            : i->round == PTX_RN
                ? rest > 0x1000 || (rest == 0x1000 && low & 0x2000)
                : false;
  a = low + (up ? 0x2000 : 0);
  if (i->ptx->satfinite && a >= 0x7F800000u)
    a = 0x7F7FE000;
  return sign | a;
}

static void op_cvt_tf32(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES1(uint32_t, uint32_t, to_tf32(i, x))
}

// ---- 8 bits ----

// Fraction bits, exponent of the smallest normal number, largest finite number.
// Both have one more binade than IEEE gives e4m3, which has no infinity.
static const struct shape {
  int fraction, min_exponent;
  uint8_t max;
} e4m3 = {3, -6, 0x7E}, e5m2 = {2, -14, 0x7B};

static uint8_t to_small(const struct shape *s, double x, bool relu) {
  uint8_t sign = signbit(x) ? 0x80 : 0;
  double a = fabs(x);
  int e;
  if (x != x)
    return 0x7F;
  if (relu && sign)
    return 0;
  if (a == 0)
    return sign;
  if (isinf(a))
    return sign | s->max;
  frexp(a, &e);
  int binade = e - 1 < s->min_exponent ? s->min_exponent : e - 1;
  double steps = rint(ldexp(a, s->fraction - binade));
  double bits = steps + ldexp(binade - s->min_exponent, s->fraction);
  return sign | (bits < s->max ? (uint8_t)bits : s->max);
}

static double from_small(const struct shape *s, uint8_t v) {
  int a = v & 0x7F, e = a >> s->fraction;
  int f = a & ((1 << s->fraction) - 1);
  double x = e ? ldexp(f + (1 << s->fraction), e - 1) : f;
  x = ldexp(x, s->min_exponent - s->fraction);
  if (a > s->max)
    x = s == &e5m2 && a == 0x7C ? (double)INFINITY : (double)NAN;
  return v & 0x80 ? -x : x;
}

static const struct shape *shape_of(int type) {
  return type == PTX_E4M3X2 ? &e4m3 : type == PTX_E5M2X2 ? &e5m2 : NULL;
}

// From two f32, the first above, or from a pair of f16.
static void op_cvt_to_small(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m) {
  const struct shape *s = shape_of(i->type);
  const uint32_t *half = VG_AT(w, i->src[0]);
  const float *a = VG_AT(w, i->src[0]), *b = VG_AT(w, i->src[1]);
  bool relu = i->ptx->relu, is_half = i->type2 == PTX_F16X2;
  uint32_t out[VG_LANES];
  for (int l = 0; l < VG_LANES; l++) {
    double high, low;
    if (is_half) {
      high = vg_half_to_double((uint16_t)(half[l] >> 16), VG_F16);
      low = vg_half_to_double((uint16_t)half[l], VG_F16);
    } else {
      high = (double)a[l];
      low = (double)b[l];
    }
    out[l] = (uint32_t)to_small(s, high, relu) << 8 | to_small(s, low, relu);
  }
  LANES_RUN(uint32_t, r = out[l])
}

static uint32_t wide_half(const struct vg_insn *i, uint32_t v) {
  double x = from_small(shape_of(i->type2), (uint8_t)v);
  if (i->ptx->relu && x == x && x <= 0)
    x = 0;
  return vg_half_from_double(x, VG_F16, PTX_RN);
}

static void op_cvt_from_small(struct vg_warp *w, const struct vg_insn *i,
                              vg_mask m) {
  LANES1(uint32_t, uint32_t, wide_half(i, x >> 8) << 16 | wide_half(i, x))
}

// ---- cvt.pack ----

static int bits_of(int type) {
  switch (type) {
  case PTX_U16:
  case PTX_S16: return 16;
  case PTX_U8:
  case PTX_S8: return 8;
  case PTX_U4:
  case PTX_S4: return 4;
  default: return 2;
  }
}

static uint32_t clamp_to(int type, int32_t v) {
  int bits = bits_of(type);
  bool is_signed =
      type == PTX_S16 || type == PTX_S8 || type == PTX_S4 || type == PTX_S2;
  int32_t max = (1 << (bits - is_signed)) - 1, min = is_signed ? -max - 1 : 0;
  v = v < min ? min : v > max ? max : v;
  return (uint32_t)v & ((1u << bits) - 1);
}

// d = c moved up, then a, then b at the bottom.
static void op_cvt_pack(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  int bits = bits_of(i->type);
  const uint32_t *c = VG_AT(w, i->src[2]);
  bool has_c = i->ptx->operand_count == 4;
  LANES2(uint32_t, int32_t, int32_t,
         (has_c ? c[l] << 2 * bits : 0) | clamp_to(i->type, x) << bits |
             clamp_to(i->type, y))
}

vg_handler vg_find_small(const struct ptx_insn *p) {
  if (p->op != PTX_OP_CVT)
    return NULL;
  if (p->pack)
    return op_cvt_pack;
  if (p->type == PTX_TF32 && p->operand_count == 2)
    return op_cvt_tf32;
  if (shape_of(p->type))
    return (p->type2 == PTX_F32) == (p->operand_count == 3) ? op_cvt_to_small
                                                            : NULL;
  return shape_of(p->type2) && p->operand_count == 2 ? op_cvt_from_small : NULL;
}

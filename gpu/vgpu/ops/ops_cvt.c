// SPDX-License-Identifier: Apache-2.0
// cvt: every pair of types, one lane at a time, with loops of their own for the
// commonest.
//
// PTX ISA: "cvt". Integer to narrower integer truncates, .sat clamps; float to
// integer rounds as told, clamps, and gives zero for NaN; float to float rounds
// once.
#include "gpu/vgpu/ops/ops.h"

#include <fenv.h>
#include <math.h>

#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/ops/half.h"

static bool is_float(int t) {
  return t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64;
}
static bool is_signed(int t) {
  return t >= PTX_S8 && t <= PTX_S64;
}

// ---- Commonest ----

#define SIMPLE(NAME, D, A, EXPR)                                               \
  static void NAME(struct vg_warp *w, const struct vg_insn *i, vg_mask m)      \
      LANES1(D, A, EXPR) static void all_##NAME(                               \
          struct vg_warp *w, uint32_t count, const struct vg_insn *i) {        \
    WARPS1(D, A, EXPR)                                                         \
  }
SIMPLE(cvt_64_s32, uint64_t, int32_t, (uint64_t)(int64_t)x)
SIMPLE(cvt_64_u32, uint64_t, uint32_t, x)
SIMPLE(cvt_32_64, uint32_t, uint64_t, (uint32_t)x)
SIMPLE(cvt_32_32, uint32_t, uint32_t, x)
SIMPLE(cvt_64_64, uint64_t, uint64_t, x)
SIMPLE(cvt_32_u16, uint32_t, uint16_t, x)
SIMPLE(cvt_32_s16, uint32_t, int16_t, (uint32_t)(int32_t)x)
SIMPLE(cvt_32_u8, uint32_t, uint8_t, x)
SIMPLE(cvt_32_s8, uint32_t, int8_t, (uint32_t)(int32_t)x)
SIMPLE(cvt_u16_32, uint32_t, uint32_t, (uint16_t)x)
SIMPLE(cvt_s16_32, uint32_t, uint32_t, (uint32_t)(int32_t)(int16_t)x)
SIMPLE(cvt_u8_32, uint32_t, uint32_t, (uint8_t)x)
SIMPLE(cvt_s8_32, uint32_t, uint32_t, (uint32_t)(int32_t)(int8_t)x)
SIMPLE(cvt_f32_s32, float, int32_t, (float)x)
SIMPLE(cvt_f32_u32, float, uint32_t, (float)x)
SIMPLE(cvt_f64_s32, double, int32_t, (double)x)
SIMPLE(cvt_f64_u32, double, uint32_t, (double)x)
SIMPLE(cvt_f64_f32, double, float, (double)x)

// NaN keeps its sign and upper bits, see nan_bits.
SIMPLE(cvt_f32_f64, float, double, (float)x)
SIMPLE(cvt_f32_bf16, uint32_t, uint16_t, (uint32_t)x << 16)

static inline int32_t truncate_s32(float x) {
  return x >= 0x1p31f    ? INT32_MAX
         : x >= -0x1p31f ? (int32_t)x
         : x != x        ? 0
                         : INT32_MIN;
}
SIMPLE(cvt_rzi_s32_f32, int32_t, float, truncate_s32(x))

// NaN becomes zero.
SIMPLE(cvt_sat_f32, float, float, x > 0 ? (x < 1 ? x : 1) : 0)

// ---- Any ----

union value {
  uint64_t u;
  int64_t s;
};

// A source lane as a 64-bit integer of its type.
static union value read_int(struct vg_warp *w, const struct vg_insn *i, int l) {
  int t = i->type2, bytes = ptx_type_bytes((enum ptx_type)t);
  union value v;
  v.u = bytes == 8 ? ((const uint64_t *)VG_AT(w, i->src[0]))[l]
                   : ((const uint32_t *)VG_AT(w, i->src[0]))[l];
  int shift = 64 - bytes * 8;
  if (is_signed(t))
    v.s = (int64_t)(v.u << shift) >> shift;
  else
    v.u = v.u << shift >> shift;
  return v;
}

// A source lane as a double: exact for every floating-point type.
static double read_float(struct vg_warp *w, const struct vg_insn *i, int l) {
  double x;
  switch (i->type2) {
  case PTX_F64: x = ((const double *)VG_AT(w, i->src[0]))[l]; break;
  case PTX_F32: {
    float f = ((const float *)VG_AT(w, i->src[0]))[l];
    if (i->ftz && fabsf(f) < 0x1p-126f)
      f = copysignf(0, f);
    x = (double)f;
    break;
  }
  default:
    x = vg_half_to_double((uint16_t)((const uint32_t *)VG_AT(w, i->src[0]))[l],
                          i->type2 == PTX_F16 ? VG_F16 : VG_BF16);
  }
  return x;
}

static void write_bits(struct vg_warp *w, const struct vg_insn *i, int l,
                       uint64_t v) {
  if (ptx_type_bytes((enum ptx_type)i->type) == 8)
    ((uint64_t *)VG_AT(w, i->dst))[l] = v;
  else
    ((uint32_t *)VG_AT(w, i->dst))[l] = (uint32_t)v;
}

static double round_to_integer(double x, int round) {
  switch (round) {
  case PTX_RZI:
  case PTX_RZ: return trunc(x);
  case PTX_RMI:
  case PTX_RM: return floor(x);
  case PTX_RPI:
  case PTX_RP: return ceil(x);
  default: return rint(x);
  }
}

static uint64_t clamp_to_int(double x, int t) {
  int bits = ptx_type_bytes((enum ptx_type)t) * 8;
  if (is_signed(t)) {
    double top = ldexp(1, bits - 1);
    int64_t max = (int64_t)(~UINT64_C(0) >> (65 - bits));
    return (uint64_t)(x >= top ? max : x < -top ? -max - 1 : (int64_t)x);
  }
  uint64_t max = ~UINT64_C(0) >> (64 - bits);
  return x >= ldexp(1, bits) ? max : x <= 0 ? 0 : (uint64_t)x;
}

// NaN gives zero, or the highest bit alone when the source is f64 or the result
// has 64 bits (PTX ISA, cvt).
static uint64_t int_from_float(const struct vg_insn *i, double x) {
  int bits = ptx_type_bytes((enum ptx_type)i->type) * 8;
  if (x != x) {
    uint64_t top = UINT64_C(1) << (bits - 1);
    bool is_zero = i->type2 != PTX_F64 && bits < 64;
    return is_zero ? 0 : is_signed(i->type) ? -top : top;
  }
  return clamp_to_int(round_to_integer(x, i->round), i->type);
}

// Narrow results are extended by their own type: the register may be wider.
static uint64_t int_from_int(const struct vg_insn *i, union value v) {
  if (!i->sat) {
    int shift = 64 - ptx_type_bytes((enum ptx_type)i->type) * 8;
    if (is_signed(i->type))
      return (uint64_t)((int64_t)(v.u << shift) >> shift);
    return v.u << shift >> shift;
  }
  int bits = ptx_type_bytes((enum ptx_type)i->type) * 8;
  bool from_signed = is_signed(i->type2);
  if (is_signed(i->type)) {
    int64_t max = (int64_t)(~UINT64_C(0) >> (65 - bits));
    if (!from_signed)
      return v.u > (uint64_t)max ? (uint64_t)max : v.u;
    return (uint64_t)(v.s > max ? max : v.s < -max - 1 ? -max - 1 : v.s);
  }
  uint64_t max = ~UINT64_C(0) >> (64 - bits);
  if (from_signed && v.s < 0)
    return 0;
  return v.u > max ? max : v.u;
}

// Narrows to a float in a rounding mode. The value passes through volatile
// places so that the conversion stays between the two mode changes.
static float to_float(double x, int round) {
  if (vg_host_round(round) == FE_TONEAREST)
    return (float)x;
  volatile double in = x;
  fesetround(vg_host_round(round));
  volatile float out = (float)in;
  fesetround(FE_TONEAREST);
  return out;
}

// An integer to a float of `keep` bits, as a double that holds it exactly. The
// host's own conversions are no help: what compilers make of them for 64
// unsigned bits gives -0 for 0 when rounding down.
static double round_int(const struct vg_insn *i, union value v, int keep) {
  bool is_below = is_signed(i->type2) && v.s < 0;
  uint64_t all = is_below ? -v.u : v.u;
  int drop = all ? 64 - __builtin_clzll(all) - keep : 0;
  if (drop <= 0)
    return is_below ? -(double)all : (double)all;
  uint64_t kept = all >> drop, rest = all & ((UINT64_C(1) << drop) - 1);
  uint64_t half = UINT64_C(1) << (drop - 1);
  bool up;
  switch (i->round) {
  case PTX_RZ: up = false; break;
  case PTX_RM: up = rest && is_below; break;
  case PTX_RP: up = rest && !is_below; break;
  default: up = rest > half || (rest == half && (kept & 1));
  }
  double r = ldexp((double)(kept + up), drop);
  return is_below ? -r : r;
}

static uint64_t bits_of_float(const struct vg_insn *i, float f) {
  uint32_t bits;
  if (f != f)
    return 0x7FFFFFFF;
  if (i->ftz && fabsf(f) < 0x1p-126f)
    f = copysignf(0, f);
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static uint64_t bits_of_double(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}

// .satfinite: what is too large becomes the largest finite number.
static uint16_t half_bits(const struct vg_insn *i, double x, enum vg_half k) {
  uint16_t r = vg_half_from_double(x, k, i->round);
  uint16_t infinity = k == VG_F16 ? 0x7C00 : 0x7F80;
  if (i->ftz && k == VG_BF16 && !(r & 0x7F80))
    r &= 0x8000;
  return i->ptx->satfinite && (r & 0x7FFF) == infinity ? r - 1 : r;
}

// PTX leaves the bits of NaN open; these are an H200's. A narrower type takes
// the sign and the upper bits of an f64's, made quiet. (Without modifiers
// cvt.f32.f32 and cvt.f32.bf16 are moves, see find_simple.)
static uint64_t nan_bits(const struct vg_insn *i, double x) {
  uint64_t v = bits_of_double(x);
  uint64_t sign = v >> 63, payload = v & ((UINT64_C(1) << 52) - 1);
  bool is_narrowed = i->type2 == PTX_F64;
  switch (i->type) {
  case PTX_F64: return v;
  case PTX_F32:
    return is_narrowed ? sign << 31 | 0x7FC00000 | payload >> 29 : 0x7FFFFFFF;
  case PTX_F16:
    return is_narrowed ? sign << 15 | 0x7E00 | payload >> 42 : 0x7FFF;
  default: return is_narrowed ? sign << 15 | 0x7FC0 | payload >> 45 : 0x7FFF;
  }
}

static uint64_t float_from_float(const struct vg_insn *i, double x) {
  if (x != x && !i->sat)
    return nan_bits(i, x);
  if (i->round >= PTX_RNI)
    x = round_to_integer(x, i->round);
  if (i->sat)
    x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (i->ptx->relu && x == x)
    x = x > 0 ? x : 0;
  switch (i->type) {
  case PTX_F64: return bits_of_double(x);
  case PTX_F32:
    if (i->ftz && vg_is_tiny(x, 0x1p-126, 0x1p-23, i->round))
      x = copysign(0, x);
    return bits_of_float(i, to_float(x, i->round));
  default: return half_bits(i, x, i->type == PTX_F16 ? VG_F16 : VG_BF16);
  }
}

// An integer that no double holds exactly gets a sticky last bit, so that the
// rounding to 16 bits is the only one.
static double int_sticky(const struct vg_insn *i, union value v) {
  bool is_negative = is_signed(i->type2) && v.s < 0;
  uint64_t a = is_negative ? -v.u : v.u;
  if (a >> 53)
    a = (a & ~UINT64_C(4095)) | (a & 4095 ? 2048 : 0);
  return is_negative ? -(double)a : (double)a;
}

static uint64_t float_from_int(const struct vg_insn *i, union value v) {
  if (i->sat) { // to [0, 1]
    bool is_negative = is_signed(i->type2) && v.s < 0;
    v.u = is_negative ? 0 : v.u > 1 ? 1 : v.u;
  }
  switch (i->type) {
  case PTX_F64: return bits_of_double(round_int(i, v, 53));
  case PTX_F32: return bits_of_float(i, (float)round_int(i, v, 24));
  default:
    return vg_half_from_double(int_sticky(i, v),
                               i->type == PTX_F16 ? VG_F16 : VG_BF16, i->round);
  }
}

static void op_cvt(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    uint64_t r;
    if (is_float(i->type2)) {
      double x = read_float(w, i, l);
      r = is_float(i->type) ? float_from_float(i, x) : int_from_float(i, x);
    } else {
      union value v = read_int(w, i, l);
      r = is_float(i->type) ? float_from_int(i, v) : int_from_int(i, v);
    }
    write_bits(w, i, l, r);
  }
}

// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
static void op_cvt_pair(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  enum vg_half k = i->type == PTX_F16X2 ? VG_F16 : VG_BF16;
  const float *a = VG_AT(w, i->src[0]), *b = VG_AT(w, i->src[1]);
  bool relu = i->ptx->relu;
  uint32_t out[VG_LANES];
  for (int l = 0; l < VG_LANES; l++) {
    float x = relu && a[l] <= 0 ? 0 : a[l], y = relu && b[l] <= 0 ? 0 : b[l];
    out[l] =
        (uint32_t)half_bits(i, (double)x, k) << 16 | half_bits(i, (double)y, k);
  }
  LANES_RUN(uint32_t, r = out[l])
}

// ---- Lookup ----

static vg_handler find_int(const struct ptx_insn *p) {
  int to = ptx_type_bytes((enum ptx_type)p->type);
  int from = ptx_type_bytes((enum ptx_type)p->type2);
  bool s = is_signed(p->type2);
  bool ts = is_signed(p->type);
  if (to < 4 && from == 4)
    return to == 2 ? (ts ? cvt_s16_32 : cvt_u16_32)
                   : (ts ? cvt_s8_32 : cvt_u8_32);
  if (to < 4)
    return op_cvt;
  if (to == 8)
    return from == 8   ? cvt_64_64
           : from == 4 ? (s ? cvt_64_s32 : cvt_64_u32)
                       : op_cvt;
  return from == 8   ? cvt_32_64
         : from == 4 ? cvt_32_32
         : from == 2 ? (s ? cvt_32_s16 : cvt_32_u16)
                     : (s ? cvt_32_s8 : cvt_32_u8);
}

static vg_handler find_simple(const struct ptx_insn *p) {
  bool to_float = is_float(p->type), from_float = is_float(p->type2);
  if (p->sat && !p->ftz && !p->relu && p->type == PTX_F32 &&
      p->type2 == PTX_F32 && p->round < PTX_RNI)
    return cvt_sat_f32;
  if (p->sat || p->ftz || p->relu || p->satfinite)
    return NULL;
  if (!to_float && !from_float)
    return find_int(p);
  bool is_kept = p->type2 == PTX_F32 || p->type2 == PTX_BF16;
  if (p->type == PTX_F32 && is_kept && p->round < PTX_RNI)
    return p->type2 == PTX_F32 ? cvt_32_32 : cvt_f32_bf16;
  bool nearest = p->round == PTX_RN || p->round == PTX_ROUND_NONE;
  if (p->type == PTX_S32 && p->type2 == PTX_F32 && p->round == PTX_RZI)
    return cvt_rzi_s32_f32;
  if (!nearest)
    return NULL;
  if (p->type == PTX_F32)
    return p->type2 == PTX_S32   ? cvt_f32_s32
           : p->type2 == PTX_U32 ? cvt_f32_u32
           : p->type2 == PTX_F64 ? cvt_f32_f64
                                 : NULL;
  if (p->type == PTX_F64)
    return p->type2 == PTX_S32   ? cvt_f64_s32
           : p->type2 == PTX_U32 ? cvt_f64_u32
           : p->type2 == PTX_F32 ? cvt_f64_f32
                                 : NULL;
  return NULL;
}

static bool is_convertible(int t) {
  return is_float(t) || (t >= PTX_U8 && t <= PTX_S64);
}

vg_handler vg_find_cvt(const struct ptx_insn *p) {
  if (p->op != PTX_OP_CVT)
    return NULL;
  if ((p->type == PTX_F16X2 || p->type == PTX_BF16X2) && p->type2 == PTX_F32 &&
      p->operand_count == 3 && !p->sat)
    return op_cvt_pair;
  if (p->pack || !is_convertible(p->type) || !is_convertible(p->type2) ||
      p->operand_count != 2)
    return NULL;
  vg_handler h = find_simple(p);
  return h ? h : op_cvt;
}

const struct vg_pair vg_pairs_cvt[] = {{cvt_64_s32, all_cvt_64_s32},
                                       {cvt_64_u32, all_cvt_64_u32},
                                       {cvt_32_64, all_cvt_32_64},
                                       {cvt_32_32, all_cvt_32_32},
                                       {cvt_64_64, all_cvt_64_64},
                                       {cvt_32_u16, all_cvt_32_u16},
                                       {cvt_32_s16, all_cvt_32_s16},
                                       {cvt_32_u8, all_cvt_32_u8},
                                       {cvt_32_s8, all_cvt_32_s8},
                                       {cvt_u16_32, all_cvt_u16_32},
                                       {cvt_s16_32, all_cvt_s16_32},
                                       {cvt_u8_32, all_cvt_u8_32},
                                       {cvt_s8_32, all_cvt_s8_32},
                                       {cvt_f32_s32, all_cvt_f32_s32},
                                       {cvt_f32_u32, all_cvt_f32_u32},
                                       {cvt_f64_s32, all_cvt_f64_s32},
                                       {cvt_f64_u32, all_cvt_f64_u32},
                                       {cvt_f64_f32, all_cvt_f64_f32},
                                       {cvt_f32_f64, all_cvt_f32_f64},
                                       {cvt_f32_bf16, all_cvt_f32_bf16},
                                       {cvt_rzi_s32_f32, all_cvt_rzi_s32_f32},
                                       {cvt_sat_f32, all_cvt_sat_f32},
                                       {NULL, NULL}};

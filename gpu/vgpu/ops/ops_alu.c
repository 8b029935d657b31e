// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, bits, logic, shifts, moves, selection and comparison.
//
// PTX ISA: "Integer Arithmetic Instructions", "Extended-Precision Integer
// Arithmetic", "Comparison and Selection", "Logic and Shift Instructions".
#include "gpu/vgpu/ops/ops.h"

#include <math.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/lanes.h"

// ---- Values of one lane ----

static inline uint64_t mul_hi_u64(uint64_t x, uint64_t y) {
  return (uint64_t)((unsigned __int128)x * y >> 64);
}
static inline uint64_t mul_hi_s64(int64_t x, int64_t y) {
  return (uint64_t)((__int128)x * y >> 64);
}
static inline uint64_t mul24_u(uint32_t x, uint32_t y) {
  return (uint64_t)(x & 0xFFFFFF) * (y & 0xFFFFFF);
}
static inline int64_t mul24_s(int32_t x, int32_t y) {
  return (int64_t)((int32_t)((uint32_t)x << 8) >> 8) *
         ((int32_t)((uint32_t)y << 8) >> 8);
}
static inline int64_t div_s64(int64_t x, int64_t y) {
  if (y == 0)
    return -1;
  return y == -1 ? (int64_t)(-(uint64_t)x) : x / y;
}
static inline int64_t rem_s64(int64_t x, int64_t y) {
  if (y == 0)
    return -1;
  return y == -1 ? 0 : x % y;
}

static inline uint64_t reverse64(uint64_t x) {
  x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (x & 0x0F0F0F0F0F0F0F0Fu) << 4;
  return __builtin_bswap64(x);
}

static inline uint32_t find_msb(uint64_t x, int width, bool shift_amount) {
  if (!x)
    return UINT32_MAX;
  uint32_t at = 63 - (uint32_t)__builtin_clzll(x);
  return shift_amount ? (uint32_t)width - 1 - at : at;
}

static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31)
    return UINT32_MAX;
  int step = offset < 0 ? -1 : 1;
  int64_t left = offset < 0 ? -(int64_t)offset : offset;
  if (offset == 0)
    return mask >> base & 1 ? base : UINT32_MAX;
  for (int b = (int)base; b >= 0 && b < 32; b += step)
    if (mask >> b & 1 && --left == 0)
      return (uint32_t)b;
  return UINT32_MAX;
}

static inline uint64_t extract(uint64_t a, uint32_t pos, uint32_t len,
                               uint32_t width, bool is_signed) {
  pos &= 255;
  len &= 255;
  if (!len)
    return 0;
  uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
  uint64_t sign = is_signed ? a >> top & 1 : 0;
  uint64_t field = pos < width ? a >> pos : 0;
  uint32_t have = pos < width ? width - pos : 0;
  have = have < len ? have : len;
  if (have >= 64)
    return field;
  uint64_t low = (UINT64_C(1) << have) - 1;
  return (field & low) | (sign ? ~low : 0);
}

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t pos,
                              uint32_t len, uint32_t width) {
  pos &= 255;
  len &= 255;
  if (!len || pos >= width)
    return b;
  uint64_t field = len >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
  return (b & ~(field << pos)) | (a & field) << pos;
}

static inline uint32_t bit_mask(uint32_t a, uint32_t b, bool clamp) {
  if (clamp) {
    a = a > 32 ? 32 : a;
    b = b > 32 ? 32 : b;
  } else {
    a &= 31;
    b &= 31;
  }
  uint64_t run = ((UINT64_C(1) << b) - 1) << a;
  return (uint32_t)run;
}

static inline uint32_t extend(uint32_t a, uint32_t n, bool clamp,
                              bool is_signed) {
  n = clamp ? (n > 32 ? 32 : n) : n & 31;
  if (!n)
    return 0;
  if (n == 32)
    return a;
  uint32_t low = (1u << n) - 1;
  return (a & low) | (is_signed && a >> (n - 1) & 1 ? ~low : 0);
}

static inline uint32_t lop3(uint32_t x, uint32_t y, uint32_t z, uint32_t f) {
  uint32_t r = 0;
  for (int k = 0; k < 8; k++) {
    uint32_t term = (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
    r |= f >> k & 1 ? term : 0;
  }
  return r;
}

static inline uint32_t funnel(uint32_t low, uint32_t high, uint32_t n,
                              uint8_t side, bool clamp) {
  n = clamp ? (n > 32 ? 32 : n) : n & 31;
  uint64_t both = (uint64_t)high << 32 | low;
  if (side == PTX_SHF_L)
    return (uint32_t)(n == 32 ? (uint64_t)low : both << n >> 32);
  return (uint32_t)(n == 32 ? high : both >> n);
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t c, uint8_t mode) {
  static const uint16_t selectors[][4] = {
      [PTX_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
      [PTX_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
      [PTX_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
      [PTX_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
      [PTX_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
      [PTX_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232}};
  uint32_t s = mode == PTX_PRMT_INDEX ? c : selectors[mode][c & 3];
  uint64_t bytes = (uint64_t)b << 32 | a;
  uint32_t r = 0;
  for (int n = 0; n < 4; n++) {
    uint32_t pick = s >> (4 * n) & 15;
    uint32_t v = (uint32_t)(bytes >> (8 * (pick & 7))) & 0xFF;
    if (pick & 8)
      v = v & 0x80 ? 0xFF : 0;
    r |= v << (8 * n);
  }
  return r;
}

// ---- Handlers of alu.def ----

#define LANES4(D, A, B, C, E, EXPR)                                            \
  {                                                                            \
    const LANE_##A *restrict a_ = VG_AT(w, i->src[0]);                         \
    const LANE_##B *restrict b_ = VG_AT(w, i->src[1]);                         \
    const LANE_##C *restrict c_ = VG_AT(w, i->src[2]);                         \
    const LANE_##E *restrict e_ = VG_AT(w, i->src[3]);                         \
    LANES_RUN(D, A x = (A)a_[l]; B y = (B)b_[l]; C z = (C)c_[l];               \
              E u = (E)e_[l]; r = (D)(EXPR))                                   \
  }

// Both halves of packed 16-bit numbers.
#define PAIRS(X, Y, T, EXPR)                                                   \
  ({                                                                           \
    uint32_t halves_ = 0;                                                      \
    for (int s_ = 0; s_ < 32; s_ += 16) {                                      \
      T p = (T)(X >> s_), q = (T)(Y >> s_);                                    \
      halves_ |= (uint32_t)(uint16_t)(EXPR) << s_;                             \
    }                                                                          \
    halves_;                                                                   \
  })

#define HANDLER(OP, PART, TYPE)                                                \
  static void op_##OP##_##PART##_##TYPE(struct vg_warp *w,                     \
                                        const struct vg_insn *i, vg_mask m)
#define ALU1(OP, PART, TYPE, D, A, EXPR)                                       \
  HANDLER(OP, PART, TYPE) LANES1(D, A, EXPR)
#define ALU2(OP, PART, TYPE, D, A, B, EXPR)                                    \
  HANDLER(OP, PART, TYPE) LANES2(D, A, B, EXPR)
#define ALU3(OP, PART, TYPE, D, A, B, C, EXPR)                                 \
  HANDLER(OP, PART, TYPE) LANES3(D, A, B, C, EXPR)
#define ALU4(OP, PART, TYPE, D, A, B, C, E, EXPR)                              \
  HANDLER(OP, PART, TYPE) LANES4(D, A, B, C, E, EXPR)
// Dividing is slow; to look whether a divisor is 0 is not.
#define HAS_ZERO(T)                                                            \
  ({                                                                           \
    const LANE_##T *y_ = VG_AT(w, i->src[1]);                                  \
    uint32_t any_ = 0;                                                         \
    for (int l = 0; l < VG_LANES; l++)                                         \
      any_ |= (T)y_[l] == 0;                                                   \
    any_;                                                                      \
  })
#define DIVIDE(OP, TYPE, T, EXPR)                                              \
  HANDLER(OP, NONE, TYPE) {                                                    \
    if (HAS_ZERO(T))                                                           \
      vg_on_division(w, i, m);                                                 \
    LANES2(T, T, T, EXPR)                                                      \
  }
#include "gpu/vgpu/ops/alu.def"
#undef DIVIDE
#undef ALU1
#undef ALU2
#undef ALU3
#undef ALU4

// The same for whole gangs.
#define GANG(OP, PART, TYPE)                                                   \
  static void all_##OP##_##PART##_##TYPE(struct vg_warp *w, uint32_t count,    \
                                         const struct vg_insn *i)
#define ALU1(OP, PART, TYPE, D, A, EXPR)                                       \
  GANG(OP, PART, TYPE) {                                                       \
    WARPS1(D, A, EXPR)                                                         \
  }
#define ALU2(OP, PART, TYPE, D, A, B, EXPR)                                    \
  GANG(OP, PART, TYPE) {                                                       \
    WARPS2(D, A, B, EXPR)                                                      \
  }
#define ALU3(OP, PART, TYPE, D, A, B, C, EXPR)                                 \
  GANG(OP, PART, TYPE) {                                                       \
    WARPS3(D, A, B, C, EXPR)                                                   \
  }
#define ALU4(OP, PART, TYPE, D, A, B, C, E, EXPR)
#define DIVIDE(OP, TYPE, T, EXPR)                                              \
  GANG(OP, NONE, TYPE) {                                                       \
    for (; count; count--)                                                     \
      op_##OP##_NONE_##TYPE(w++, i, VG_ALL);                                   \
  }
#include "gpu/vgpu/ops/alu.def"
#undef DIVIDE
#undef ALU1
#undef ALU2
#undef ALU3
#undef ALU4

#define PART_NONE    PTX_PART_NONE
#define PART_LO_PART PTX_LO_PART
#define PART_HI_PART PTX_HI_PART
#define PART_WIDE    PTX_WIDE
#define ROW(OP, PART, TYPE)                                                    \
  {PTX_OP_##OP, PART_##PART, PTX_##TYPE, op_##OP##_##PART##_##TYPE},
#define ALU1(OP, PART, TYPE, ...) ROW(OP, PART, TYPE)
#define ALU2(OP, PART, TYPE, ...) ROW(OP, PART, TYPE)
#define ALU3(OP, PART, TYPE, ...) ROW(OP, PART, TYPE)
#define ALU4(OP, PART, TYPE, ...) ROW(OP, PART, TYPE)
static const struct row {
  uint8_t op, part, type;
  vg_handler run;
} rows[] = {
#include "gpu/vgpu/ops/alu.def"
};

// ---- Saturation and carries ----

static void op_add_sat(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES2(int32_t, int32_t, int32_t,
         ((int64_t)x + y > INT32_MAX   ? INT32_MAX
          : (int64_t)x + y < INT32_MIN ? INT32_MIN
                                       : (int64_t)x + y))
}

static void op_sub_sat(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES2(int32_t, int32_t, int32_t,
         ((int64_t)x - y > INT32_MAX   ? INT32_MAX
          : (int64_t)x - y < INT32_MIN ? INT32_MIN
                                       : (int64_t)x - y))
}

static void op_mad_sat(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES3(int32_t, int32_t, int32_t, int32_t,
         (((int64_t)x * y >> 32) + z > INT32_MAX ? INT32_MAX
          : ((int64_t)x * y >> 32) + z < INT32_MIN
              ? INT32_MIN
              : ((int64_t)x * y >> 32) + z))
}

static void op_mad24_sat(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  LANES3(int32_t, int32_t, int32_t, int32_t,
         ((mul24_s(x, y) >> 16) + z > INT32_MAX   ? INT32_MAX
          : (mul24_s(x, y) >> 16) + z < INT32_MIN ? INT32_MIN
                                                  : (mul24_s(x, y) >> 16) + z))
}

// min.relu and max.relu: negative results become zero.
static void op_relu(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  bool is_max = i->ptx->op == PTX_OP_MAX;
  if (i->type == PTX_S32)
    LANES2(int32_t, int32_t, int32_t, ({
             int32_t v = is_max == (x > y) ? x : y;
             v > 0 ? v : 0;
           }))
  else
    LANES2(uint32_t, uint32_t, uint32_t, PAIRS(x, y, int16_t, ({
                                                 int16_t v =
                                                     is_max == (p > q) ? p : q;
                                                 v > 0 ? v : 0;
                                               })))
}

// lop3.and, lop3.or d|p, a, b, c, table, q.
static void op_lop3_bool(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  const uint32_t *a = VG_AT(w, i->src[0]), *b = VG_AT(w, i->src[1]);
  const uint32_t *c = VG_AT(w, i->src[2]);
  uint32_t table = (uint32_t)i->ptx->operands[4].bits, out[VG_LANES];
  vg_mask q = get_predicate(w, i->src[3]) ^ i->flip, yes = 0;
  for (int l = 0; l < VG_LANES; l++) {
    out[l] = lop3(a[l], b[l], c[l], table);
    yes |= (vg_mask)(out[l] != 0) << l;
  }
  set_predicate(w, i->dst2, m, i->boolop == PTX_BOOL_AND ? yes & q : yes | q);
  LANES_RUN(uint32_t, r = out[l])
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: a sum of two terms and the carry.
// A difference is the sum a + ~b + 1, as in the hardware: its carry is set where
// nothing was borrowed, which the manual's words leave open (they speak of a
// borrow, and of sub.cc with subc alone) and sub.cc with addc shows.
static void op_carry(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  int op = i->ptx->op;
  bool is_wide = ptx_type_bytes((enum ptx_type)i->type) == 8;
  bool is_mad = op == PTX_OP_MAD || op == PTX_OP_MADC;
  bool is_sub = op == PTX_OP_SUB || op == PTX_OP_SUBC;
  bool is_signed = i->type == PTX_S32 || i->type == PTX_S64;
  vg_mask in = get_predicate(w, i->src[3]), out = 0;
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    uint64_t v[3] = {0};
    for (int s = 0; s < (is_mad ? 3 : 2); s++)
      v[s] = is_wide ? ((uint64_t *)VG_AT(w, i->src[s]))[l]
                     : ((uint32_t *)VG_AT(w, i->src[s]))[l];
    if (is_mad) {
      unsigned __int128 p = (unsigned __int128)v[0] * v[1];
      if (is_signed)
        p = is_wide
                ? (unsigned __int128)((__int128)(int64_t)v[0] * (int64_t)v[1])
                : (unsigned __int128)(uint64_t)((int64_t)(int32_t)v[0] *
                                                (int32_t)v[1]);
      int bits = is_wide ? 64 : 32;
      v[0] = (uint64_t)(i->part == PTX_HI_PART ? p >> bits : p);
      v[1] = v[2];
      if (!is_wide)
        v[0] = (uint32_t)v[0];
    }
    if (is_sub)
      v[1] = is_wide ? ~v[1] : (uint32_t)~v[1];
    unsigned __int128 r = (unsigned __int128)v[0] + v[1] + (in >> l & 1);
    if (r >> (is_wide ? 64 : 32) & 1)
      out |= 1u << l;
    if (is_wide)
      ((uint64_t *)VG_AT(w, i->dst))[l] = (uint64_t)r;
    else
      ((uint32_t *)VG_AT(w, i->dst))[l] = (uint32_t)r;
  }
  set_predicate(w, i->dst2, m, out);
}

// ---- Dot products ----

static int32_t signed_part(uint32_t v, int n, int bits, bool is_signed) {
  uint32_t part = v >> (n * bits) & ((1u << bits) - 1);
  uint32_t sign = is_signed ? 1u << (bits - 1) : 0;
  return (int32_t)((part ^ sign) - sign);
}

static void op_dp4a(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  bool sa = i->type == PTX_S32, sb = i->type2 == PTX_S32;
  LANES3(uint32_t, uint32_t, uint32_t, uint32_t, ({
           uint32_t sum = z;
           for (int n = 0; n < 4; n++)
             sum += (uint32_t)(signed_part(x, n, 8, sa) *
                               signed_part(y, n, 8, sb));
           sum;
         }))
}

// Two 16-bit parts of a with two 8-bit parts of b, the lower or the upper pair.
static void op_dp2a(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  bool sa = i->type == PTX_S32, sb = i->type2 == PTX_S32;
  int first = i->part == PTX_HI_PART ? 2 : 0;
  LANES3(uint32_t, uint32_t, uint32_t, uint32_t, ({
           uint32_t sum = z;
           for (int n = 0; n < 2; n++)
             sum += (uint32_t)(signed_part(x, n, 16, sa) *
                               signed_part(y, first + n, 8, sb));
           sum;
         }))
}

// ---- Predicates and selection ----

static void op_mov_pred(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  set_predicate(w, i->dst, m, get_predicate(w, i->src[0]) ^ i->flip);
}

static void op_mov_128(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const uint8_t *from = VG_AT(w, i->src[0]);
  uint8_t *to = VG_AT(w, i->dst);
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1)
      memmove(to + (size_t)l * 16, from + (size_t)l * 16, 16);
}

static void op_logic_pred(struct vg_warp *w, const struct vg_insn *i,
                          vg_mask m) {
  vg_mask x = get_predicate(w, i->src[0]), y = get_predicate(w, i->src[1]);
  vg_mask r = i->ptx->op == PTX_OP_AND  ? x & y
              : i->ptx->op == PTX_OP_OR ? x | y
                                        : x ^ y;
  set_predicate(w, i->dst, m, r);
}

static void op_not_pred(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  set_predicate(w, i->dst, m, ~get_predicate(w, i->src[0]));
}

static void op_selp32(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask p = get_predicate(w, i->src[2]) ^ i->flip;
  LANES2(uint32_t, uint32_t, uint32_t, (p >> l & 1) ? x : y)
}

static void op_selp64(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask p = get_predicate(w, i->src[2]) ^ i->flip;
  LANES2(uint64_t, uint64_t, uint64_t, (p >> l & 1) ? x : y)
}

// slct d, a, b, c: a when c >= 0, else b; NaN selects b.
static void op_slct(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask p;
  if (i->type2 == PTX_F32) {
    const float *c = VG_AT(w, i->src[2]);
    float least = i->ftz ? -0x1p-126f : 0; // .ftz: subnormals count as zero
    LANES_MASK(p, i->ftz ? c[l] > least : c[l] >= 0)
  } else {
    const int32_t *c = VG_AT(w, i->src[2]);
    LANES_MASK(p, c[l] >= 0)
  }
  if (ptx_type_bytes((enum ptx_type)i->type) == 8)
    LANES2(uint64_t, uint64_t, uint64_t, (p >> l & 1) ? x : y)
  else
    LANES2(uint32_t, uint32_t, uint32_t, (p >> l & 1) ? x : y)
}

// ---- Comparison ----

#define COMPARE_INT(T)                                                         \
  {                                                                            \
    const LANE_##T *a = VG_AT(w, i->src[0]);                                   \
    const LANE_##T *b = VG_AT(w, i->src[1]);                                   \
    switch (i->cmp) {                                                          \
    case PTX_EQ: LANES_MASK(r, (T)a[l] == (T)b[l]) break;                      \
    case PTX_NE: LANES_MASK(r, (T)a[l] != (T)b[l]) break;                      \
    case PTX_LT:                                                               \
    case PTX_LO: LANES_MASK(r, (T)a[l] < (T)b[l]) break;                       \
    case PTX_LE:                                                               \
    case PTX_LS: LANES_MASK(r, (T)a[l] <= (T)b[l]) break;                      \
    case PTX_GT:                                                               \
    case PTX_HI: LANES_MASK(r, (T)a[l] > (T)b[l]) break;                       \
    default: LANES_MASK(r, (T)a[l] >= (T)b[l])                                 \
    }                                                                          \
  }

#define COMPARE_FLOAT(T)                                                       \
  {                                                                            \
    const T *a = first, *b = second;                                           \
    switch (i->cmp) {                                                          \
    case PTX_EQ: LANES_MASK(r, a[l] == b[l]) break;                            \
    case PTX_NE: LANES_MASK(r, a[l]<b[l] || a[l]> b[l]) break;                 \
    case PTX_LT: LANES_MASK(r, a[l] < b[l]) break;                             \
    case PTX_LE: LANES_MASK(r, a[l] <= b[l]) break;                            \
    case PTX_GT: LANES_MASK(r, a[l] > b[l]) break;                             \
    case PTX_GE: LANES_MASK(r, a[l] >= b[l]) break;                            \
    case PTX_EQU: LANES_MASK(r, !(a[l] < b[l] || a[l] > b[l])) break;          \
    case PTX_NEU: LANES_MASK(r, a[l] != b[l]) break;                           \
    case PTX_LTU: LANES_MASK(r, !(a[l] >= b[l])) break;                        \
    case PTX_LEU: LANES_MASK(r, !(a[l] > b[l])) break;                         \
    case PTX_GTU: LANES_MASK(r, !(a[l] <= b[l])) break;                        \
    case PTX_GEU: LANES_MASK(r, !(a[l] < b[l])) break;                         \
    case PTX_NUM: LANES_MASK(r, a[l] == a[l] && b[l] == b[l]) break;           \
    default: LANES_MASK(r, a[l] != a[l] || b[l] != b[l])                       \
    }                                                                          \
  }

// Subnormal inputs count as zero.
static float flush(float x) {
  return x > -0x1p-126f && x < 0x1p-126f ? copysignf(0, x) : x;
}

// The lanes for which i->cmp holds between the first two sources.
static vg_mask compare(struct vg_warp *w, const struct vg_insn *i, int type) {
  vg_mask r = 0;
  const void *first = VG_AT(w, i->src[0]), *second = VG_AT(w, i->src[1]);
  float flushed[2][VG_LANES];
  if (type == PTX_F32 && i->ftz) {
    for (int l = 0; l < VG_LANES; l++) {
      flushed[0][l] = flush(((const float *)first)[l]);
      flushed[1][l] = flush(((const float *)second)[l]);
    }
    first = flushed[0];
    second = flushed[1];
  }
  switch (type) {
  case PTX_S16: COMPARE_INT(int16_t) break;
  case PTX_U16:
  case PTX_B16: COMPARE_INT(uint16_t) break;
  case PTX_S32: COMPARE_INT(int32_t) break;
  case PTX_U32:
  case PTX_B32: COMPARE_INT(uint32_t) break;
  case PTX_S64: COMPARE_INT(int64_t) break;
  case PTX_U64:
  case PTX_B64: COMPARE_INT(uint64_t) break;
  case PTX_F32: COMPARE_FLOAT(float) break;
  default: COMPARE_FLOAT(double)
  }
  return r;
}

static void finish_setp(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                        vg_mask r) {
  vg_mask p = with_boolop(w, i, r);
  vg_mask q = with_boolop(w, i, ~r);
  set_predicate(w, i->dst, m, p);
  set_predicate(w, i->dst2, m, q);
}

static void op_setp(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  finish_setp(w, i, m, compare(w, i, i->type));
}

// The commonest comparisons, without a switch at run time.
#define SETP(NAME, T, CMP)                                                     \
  static void NAME(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {    \
    const T *a = VG_AT(w, i->src[0]), *b = VG_AT(w, i->src[1]);                \
    vg_mask r;                                                                 \
    LANES_MASK(r, a[l] CMP b[l])                                               \
    set_predicate(w, i->dst, m, r);                                            \
  }
#define SETP_ALL(NAME, T, CMP)                                                 \
  static void all_##NAME(struct vg_warp *w, uint32_t count,                    \
                         const struct vg_insn *i) {                            \
    WARPS_RUN(const T *a = VG_AT(w, i->src[0]);                                \
              const T *b = VG_AT(w, i->src[1]); vg_mask r;                     \
              LANES_MASK(r, a[l] CMP b[l]) * (vg_mask *)VG_AT(w, i->dst) = r;) \
  }
SETP(op_setp_eq_32, uint32_t, ==)
SETP(op_setp_ne_32, uint32_t, !=)
SETP(op_setp_lt_s32, int32_t, <)
SETP(op_setp_ge_s32, int32_t, >=)
SETP(op_setp_gt_s32, int32_t, >)
SETP(op_setp_le_s32, int32_t, <=)
SETP(op_setp_lt_u32, uint32_t, <)
SETP(op_setp_ge_u32, uint32_t, >=)
SETP(op_setp_gt_u32, uint32_t, >)
SETP(op_setp_le_u32, uint32_t, <=)
SETP_ALL(op_setp_eq_32, uint32_t, ==)
SETP_ALL(op_setp_ne_32, uint32_t, !=)
SETP_ALL(op_setp_lt_s32, int32_t, <)
SETP_ALL(op_setp_ge_s32, int32_t, >=)
SETP_ALL(op_setp_gt_s32, int32_t, >)
SETP_ALL(op_setp_le_s32, int32_t, <=)
SETP_ALL(op_setp_lt_u32, uint32_t, <)
SETP_ALL(op_setp_ge_u32, uint32_t, >=)
SETP_ALL(op_setp_gt_u32, uint32_t, >)
SETP_ALL(op_setp_le_u32, uint32_t, <=)

#define SETP_FLOAT(NAME, CMP) SETP(NAME, float, CMP) SETP_ALL(NAME, float, CMP)
SETP_FLOAT(op_setp_eq_f32, ==)
SETP_FLOAT(op_setp_lt_f32, <)
SETP_FLOAT(op_setp_le_f32, <=)
SETP_FLOAT(op_setp_gt_f32, >)
SETP_FLOAT(op_setp_ge_f32, >=)
SETP_FLOAT(op_setp_neu_f32, !=)

static vg_handler find_setp_f32(const struct ptx_insn *p) {
  switch (p->ftz ? -1 : (int)p->cmp) {
  case PTX_EQ: return op_setp_eq_f32;
  case PTX_LT: return op_setp_lt_f32;
  case PTX_LE: return op_setp_le_f32;
  case PTX_GT: return op_setp_gt_f32;
  case PTX_GE: return op_setp_ge_f32;
  case PTX_NEU: return op_setp_neu_f32;
  default: return op_setp;
  }
}

static bool is_comparable(int t) {
  return (t >= PTX_B16 && t <= PTX_B64) || (t >= PTX_U16 && t <= PTX_U64) ||
         (t >= PTX_S16 && t <= PTX_S64) || t == PTX_F32 || t == PTX_F64;
}

static vg_handler find_setp(const struct ptx_insn *p) {
  if (!is_comparable(p->type))
    return NULL;
  if (p->boolop != PTX_BOOL_NONE || p->operands[0].pair >= 0)
    return op_setp;
  if (p->type == PTX_F32)
    return find_setp_f32(p);
  bool is_32 = p->type == PTX_S32 || p->type == PTX_U32 || p->type == PTX_B32;
  if (is_32 && p->cmp == PTX_EQ)
    return op_setp_eq_32;
  if (is_32 && p->cmp == PTX_NE)
    return op_setp_ne_32;
  if (p->type == PTX_S32)
    return p->cmp == PTX_LT   ? op_setp_lt_s32
           : p->cmp == PTX_GE ? op_setp_ge_s32
           : p->cmp == PTX_GT ? op_setp_gt_s32
           : p->cmp == PTX_LE ? op_setp_le_s32
                              : op_setp;
  if (p->type == PTX_U32)
    return p->cmp == PTX_LT   ? op_setp_lt_u32
           : p->cmp == PTX_GE ? op_setp_ge_u32
           : p->cmp == PTX_GT ? op_setp_gt_u32
           : p->cmp == PTX_LE ? op_setp_le_u32
                              : op_setp;
  return op_setp;
}

// set: all ones (or 1.0) where the comparison holds.
static void op_set(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask p = with_boolop(w, i, compare(w, i, i->type2));
  uint32_t yes = i->type == PTX_F32 ? 0x3F800000u : VG_ALL;
  LANES_RUN(uint32_t, r = p >> l & 1 ? yes : 0)
}

// ---- Lookup ----

static bool is_predicate_op(const struct ptx_insn *p) {
  return p->type == PTX_PRED;
}

static bool is_dot(const struct ptx_insn *p) {
  return (p->type == PTX_S32 || p->type == PTX_U32) &&
         (p->type2 == PTX_S32 || p->type2 == PTX_U32);
}

static bool takes_carry(const struct ptx_insn *p) {
  return p->cc || p->op == PTX_OP_ADDC || p->op == PTX_OP_SUBC ||
         p->op == PTX_OP_MADC;
}

static vg_handler find_special(const struct ptx_insn *p) {
  int bytes = ptx_type_bytes((enum ptx_type)p->type);
  switch (p->op) {
  case PTX_OP_MOV:
    return is_predicate_op(p) ? op_mov_pred : bytes == 16 ? op_mov_128 : NULL;
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR: return is_predicate_op(p) ? op_logic_pred : NULL;
  case PTX_OP_NOT: return is_predicate_op(p) ? op_not_pred : NULL;
  case PTX_OP_ADD: return p->sat && p->type == PTX_S32 ? op_add_sat : NULL;
  case PTX_OP_SUB: return p->sat && p->type == PTX_S32 ? op_sub_sat : NULL;
  case PTX_OP_MAD:
    return p->sat && p->type == PTX_S32 && p->part == PTX_HI_PART ? op_mad_sat
                                                                  : NULL;
  case PTX_OP_SELP:
    return bytes == 8 ? op_selp64 : bytes == 4 || bytes == 2 ? op_selp32 : NULL;
  case PTX_OP_SLCT:
    return bytes <= 8 && (p->type2 == PTX_S32 || p->type2 == PTX_F32) ? op_slct
                                                                      : NULL;
  case PTX_OP_LOP3:
    return p->boolop && p->operands[4].kind == PTX_IMMEDIATE &&
                   p->operand_count == 6
               ? op_lop3_bool
               : NULL;
  case PTX_OP_MAD24: return p->sat && p->type == PTX_S32 ? op_mad24_sat : NULL;
  case PTX_OP_MIN:
  case PTX_OP_MAX:
    return p->relu && (p->type == PTX_S32 || p->type == PTX_S16X2) ? op_relu
                                                                   : NULL;
  case PTX_OP_SETP: return find_setp(p);
  case PTX_OP_SET: return is_comparable(p->type2) && bytes == 4 ? op_set : NULL;
  case PTX_OP_DP4A: return is_dot(p) ? op_dp4a : NULL;
  case PTX_OP_DP2A: return is_dot(p) ? op_dp2a : NULL;
  default: return NULL;
  }
}

vg_handler vg_find_alu(const struct ptx_insn *p) {
  if (takes_carry(p))
    return p->type == PTX_U32 || p->type == PTX_S32 || p->type == PTX_U64 ||
                   p->type == PTX_S64
               ? op_carry
               : NULL;
  vg_handler h = find_special(p);
  if (h || p->sat)
    return h;
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
    if (rows[n].op == p->op && rows[n].type == p->type &&
        rows[n].part == p->part)
      return rows[n].run;
  return NULL;
}

// ---- For gangs ----

static void all_selp32(struct vg_warp *w, uint32_t count,
                       const struct vg_insn *i) {
  WARPS_RUN(const uint32_t *a = VG_AT(w, i->src[0]);
            const uint32_t *b = VG_AT(w, i->src[1]);
            uint32_t *d = VG_AT(w, i->dst);
            vg_mask p = get_predicate(w, i->src[2]) ^ i->flip;
            WARP_LANES d[l] = (p >> l & 1) ? a[l] : b[l];)
}

static void all_logic_pred(struct vg_warp *w, uint32_t count,
                           const struct vg_insn *i) {
  for (const struct vg_warp *end = w + count; w < end; w++)
    op_logic_pred(w, i, VG_ALL);
}

const struct vg_pair vg_pairs_alu[] = {
#undef ALU1
#undef ALU2
#undef ALU3
#undef ALU4
#define PAIR(OP, PART, TYPE)                                                   \
  {op_##OP##_##PART##_##TYPE, all_##OP##_##PART##_##TYPE},
#define ALU1(OP, PART, TYPE, ...) PAIR(OP, PART, TYPE)
#define ALU2(OP, PART, TYPE, ...) PAIR(OP, PART, TYPE)
#define ALU3(OP, PART, TYPE, ...) PAIR(OP, PART, TYPE)
#define ALU4(OP, PART, TYPE, ...)
#include "gpu/vgpu/ops/alu.def"
    {op_selp32, all_selp32},
    {op_setp_eq_f32, all_op_setp_eq_f32},
    {op_setp_lt_f32, all_op_setp_lt_f32},
    {op_setp_le_f32, all_op_setp_le_f32},
    {op_setp_gt_f32, all_op_setp_gt_f32},
    {op_setp_ge_f32, all_op_setp_ge_f32},
    {op_setp_neu_f32, all_op_setp_neu_f32},
    {op_setp_eq_32, all_op_setp_eq_32},
    {op_setp_ne_32, all_op_setp_ne_32},
    {op_setp_lt_s32, all_op_setp_lt_s32},
    {op_setp_ge_s32, all_op_setp_ge_s32},
    {op_setp_gt_s32, all_op_setp_gt_s32},
    {op_setp_le_s32, all_op_setp_le_s32},
    {op_setp_lt_u32, all_op_setp_lt_u32},
    {op_setp_ge_u32, all_op_setp_ge_u32},
    {op_setp_gt_u32, all_op_setp_gt_u32},
    {op_setp_le_u32, all_op_setp_le_u32},
    {op_logic_pred, all_logic_pred},
    {NULL, NULL}};

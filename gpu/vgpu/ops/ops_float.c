// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic.
//
// The common case, rounding to nearest with subnormals kept, has handlers of
// its own whose loops become vector instructions. All other modifiers go
// through one slower path per operation: inputs flushed, the processor's
// rounding mode set around the loop, result flushed and clamped.
//
// An f32 operation whose result is NaN gives the canonical NaN 0x7FFFFFFF, one of
// f64 that of its first operand which is one (nan64.h).
//
// PTX ISA: "Floating Point Instructions".
#include "gpu/vgpu/ops/ops.h"

#include <fenv.h>
#include <math.h>

#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/ops/approx.h"
#include "gpu/vgpu/ops/half.h"
#include "gpu/vgpu/ops/nan64.h"

#define NAN32 __builtin_nanf("0x3FFFFF")

static inline float canonical(float x) {
  return x == x ? x : NAN32;
}

static inline float flush32(float x) {
  return x > -0x1p-126f && x < 0x1p-126f ? copysignf(0, x) : x;
}
static inline double flush64(double x) {
  return x > -0x1p-1022 && x < 0x1p-1022 ? copysign(0, x) : x;
}

// ---- The common case ----

#define FLOAT_FAST(NAME, T, FIX, ARGS, EXPR)                                   \
  static void fast_##NAME(struct vg_warp *w, const struct vg_insn *i,          \
                          vg_mask m)                                           \
      ARGS(T, FIX(EXPR)) static void all_##NAME(                               \
          struct vg_warp *w, uint32_t count, const struct vg_insn *i) {        \
    ALL_##ARGS(T, FIX(EXPR))                                                   \
  }
#define ALL_TAKE1(T, EXPR) WARPS1(T, T, EXPR)
#define ALL_TAKE2(T, EXPR) WARPS2(T, T, T, EXPR)
#define ALL_TAKE3(T, EXPR) WARPS3(T, T, T, T, EXPR)
#define TAKE1(T, EXPR)     LANES1(T, T, EXPR)
#define TAKE2(T, EXPR)     LANES2(T, T, T, EXPR)
#define TAKE3(T, EXPR)     LANES3(T, T, T, T, EXPR)

FLOAT_FAST(add_f32, float, canonical, TAKE2, x + y)
FLOAT_FAST(sub_f32, float, canonical, TAKE2, x - y)
FLOAT_FAST(mul_f32, float, canonical, TAKE2, x *y)
FLOAT_FAST(div_f32, float, canonical, TAKE2, x / y)
FLOAT_FAST(fma_f32, float, canonical, TAKE3, __builtin_fmaf(x, y, z))
FLOAT_FAST(rcp_f32, float, canonical, TAKE1, 1 / x)
FLOAT_FAST(sqrt_f32, float, canonical, TAKE1, sqrtf(x))

// Which NaN an f64 gives is a rule (nan64.h). Results are looked at all together,
// since a NaN among them is rare.
static inline bool has_nan64(const double v[VG_LANES]) {
  uint64_t any = 0;
  for (int l = 0; l < VG_LANES; l++)
    any |= v[l] == v[l] ? 0 : ~UINT64_C(0);
  return any;
}
#define MEND64(r, x, y, z)                                                     \
  if (has_nan64(r))                                                            \
    for (int l = 0; l < VG_LANES; l++)                                         \
  (r)[l] = (r)[l] == (r)[l] ? (r)[l] : vg_nan64(x, y, z)

#define FLOAT_FAST64(NAME, SOURCES, EXPR)                                      \
  static inline __attribute__((always_inline)) void fill_##NAME(               \
      struct vg_warp *w, const struct vg_insn *i, double r[VG_LANES]) {        \
    const double *a = VG_AT(w, i->src[0]);                                     \
    const double *b = VG_AT(w, i->src[SOURCES > 1 ? 1 : 0]);                   \
    const double *c = VG_AT(w, i->src[SOURCES > 2 ? 2 : 0]);                   \
    for (int l = 0; l < VG_LANES; l++) {                                       \
      double x = a[l], y = b[l], z = c[l];                                     \
      (void)y, (void)z;                                                        \
      r[l] = EXPR;                                                             \
    }                                                                          \
    MEND64(r, a[l], b[l], c[l]);                                               \
  }                                                                            \
  static void fast_##NAME(struct vg_warp *w, const struct vg_insn *i,          \
                          vg_mask m) {                                         \
    double v[VG_LANES];                                                        \
    fill_##NAME(w, i, v);                                                      \
    LANES_RUN(double, r = v[l])                                                \
  }                                                                            \
  static void all_##NAME(struct vg_warp *w, uint32_t count,                    \
                         const struct vg_insn *i) {                            \
    WARPS_RUN(double v[VG_LANES]; fill_##NAME(w, i, v);                        \
              memcpy(VG_AT(w, i->dst), v, sizeof v);)                          \
  }

// x86's own instructions follow the rule, where nobody exchanges their operands: a
// compiler does so with sums and products, but not with an instruction by its name.
typedef double vector64 __attribute__((vector_size(VG_NATIVE_BYTES)));
#define NAMED64(NAME, SOURCES, INSN)                                           \
  static inline __attribute__((always_inline)) void fill_##NAME(               \
      struct vg_warp *w, const struct vg_insn *i, double *r) {                 \
    const double *a = VG_AT(w, i->src[0]), *b = VG_AT(w, i->src[1]);           \
    const double *c = VG_AT(w, i->src[2]);                                     \
    for (size_t l = 0; l < VG_LANES; l += sizeof(vector64) / sizeof *r) {      \
      vector64 x, y, z = {0};                                                  \
      memcpy(&x, a + l, sizeof x);                                             \
      memcpy(&y, b + l, sizeof y);                                             \
      if (SOURCES > 2)                                                         \
        memcpy(&z, c + l, sizeof z);                                           \
      __asm__(INSN " %2, %1, %0" : "+v"(z) : "v"(x), "v"(y));                  \
      memcpy(r + l, &z, sizeof z);                                             \
    }                                                                          \
  }                                                                            \
  static void fast_##NAME(struct vg_warp *w, const struct vg_insn *i,          \
                          vg_mask m) {                                         \
    double v[VG_LANES];                                                        \
    fill_##NAME(w, i, v);                                                      \
    LANES_RUN(double, r = v[l])                                                \
  }                                                                            \
  static void all_##NAME(struct vg_warp *w, uint32_t count,                    \
                         const struct vg_insn *i) {                            \
    WARPS_RUN(fill_##NAME(w, i, VG_AT(w, i->dst));)                            \
  }
#ifdef __AVX2__
NAMED64(add_f64, 2, "vaddpd")
NAMED64(mul_f64, 2, "vmulpd")
NAMED64(fma_f64, 3, "vfmadd231pd")
#else
FLOAT_FAST64(add_f64, 2, x + y)
FLOAT_FAST64(mul_f64, 2, x *y)
FLOAT_FAST64(fma_f64, 3, __builtin_fma(x, y, z))
#endif
#ifdef __x86_64__
FLOAT_FAST(sub_f64, double, , TAKE2, x - y)
FLOAT_FAST(div_f64, double, , TAKE2, x / y)
FLOAT_FAST(rcp_f64, double, , TAKE1, 1 / x)
FLOAT_FAST(sqrt_f64, double, , TAKE1, sqrt(x))
#else
FLOAT_FAST64(sub_f64, 2, x - y)
FLOAT_FAST64(div_f64, 2, x / y)
FLOAT_FAST64(rcp_f64, 1, 1 / x)
FLOAT_FAST64(sqrt_f64, 1, sqrt(x))
#endif

// ---- All modifiers ----

// Keeps the compiler from moving arithmetic out of the changed rounding mode:
// the arrays' contents are unknown to it on both sides.
#define FENCE(p) __asm__ volatile("" : : "r"(p) : "memory")

// Of one operation: calc_ for a warp in the rounding mode that is set, slow_
// for one warp, slow_all_ for a gang. AFTER mends what EXPR left in v[3].
#define FLOAT_AFTER(NAME, T, FLUSH, SOURCES, EXPR, AFTER)                      \
  static inline __attribute__((always_inline)) void calc_##NAME(               \
      struct vg_warp *w, const struct vg_insn *i, vg_mask m) {                 \
    T v[4][VG_LANES];                                                          \
    vg_charge(w, VG_FLOAT_COST);                                               \
    for (int s = 0; s < SOURCES; s++) {                                        \
      const T *from = VG_AT(w, i->src[s]);                                     \
      if (i->ftz)                                                              \
        for (int l = 0; l < VG_LANES; l++)                                     \
          v[s][l] = FLUSH(from[l]);                                            \
      else                                                                     \
        memcpy(v[s], from, sizeof v[s]);                                       \
    }                                                                          \
    FENCE(v);                                                                  \
    for (int l = 0; l < VG_LANES; l++) {                                       \
      T x = v[0][l], y = SOURCES > 1 ? v[1][l] : 0;                            \
      T z = SOURCES > 2 ? v[2][l] : 0;                                         \
      (void)y, (void)z;                                                        \
      v[3][l] = EXPR;                                                          \
    }                                                                          \
    AFTER;                                                                     \
    FENCE(v);                                                                  \
    LANES_RUN(T, r = finish_##T(i, v[3][l]))                                   \
  }                                                                            \
  static void slow_##NAME(struct vg_warp *w, const struct vg_insn *i,          \
                          vg_mask m) {                                         \
    begin_rounding(i);                                                         \
    calc_##NAME(w, i, m);                                                      \
    end_rounding(i);                                                           \
  }                                                                            \
  static void slow_all_##NAME(struct vg_warp *w, uint32_t count,               \
                              const struct vg_insn *i) {                       \
    begin_rounding(i);                                                         \
    WARPS_RUN(calc_##NAME(w, i, VG_ALL);)                                      \
    end_rounding(i);                                                           \
  }
#define FLOAT_SLOW(NAME, T, FLUSH, SOURCES, EXPR)                              \
  FLOAT_AFTER(NAME, T, FLUSH, SOURCES, EXPR, )

// Changing the mode takes the processor longer than 32 sums.
static void begin_rounding(const struct vg_insn *i) {
  int mode = vg_host_round(i->round);
  if (mode != FE_TONEAREST)
    fesetround(mode);
}

static void end_rounding(const struct vg_insn *i) {
  if (vg_host_round(i->round) != FE_TONEAREST)
    fesetround(FE_TONEAREST);
}

// Whether the operation's result is subnormal, see vg_is_tiny. The double is
// exact, or on the right side of what it is compared with.
static bool is_tiny(const struct vg_insn *i, float a, float b, float c) {
  volatile double x = (double)a, y = (double)b, z = (double)c, r;
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  switch (i->ptx->op) {
  case PTX_OP_MUL: r = x * y; break;
  case PTX_OP_DIV: r = x / y; break;
  case PTX_OP_RCP: r = 1 / x; break;
  default: r = vg_fma_sticky(x, y, z);
  }
  fesetround(mode);
  return vg_is_tiny(r, 0x1p-126, 0x1p-23, i->round);
}

// The least normal number may be rounded from a subnormal one, which .ftz
// flushes. finish_float flushes the others.
static inline bool has_least(const float v[VG_LANES]) {
  bool any = false;
  for (int l = 0; l < VG_LANES; l++)
    any |= fabsf(v[l]) == 0x1p-126f;
  return any;
}

#define TINY(SOURCES)                                                          \
  if (i->ftz && has_least(v[3]))                                               \
    for (int l = 0; l < VG_LANES; l++)                                         \
      if (fabsf(v[3][l]) == 0x1p-126f &&                                       \
          is_tiny(i, v[0][l], SOURCES > 1 ? v[1][l] : 0,                       \
                  SOURCES > 2 ? v[2][l] : 0))                                  \
  v[3][l] = copysignf(0, v[3][l])

// Lanes of sin and cos that approx_wave is not made for.
#define FAR_WAVES(f)                                                           \
  for (int l = 0; l < VG_LANES; l++)                                           \
    if (!(fabsf(v[0][l]) < APPROX_WAVE))                                       \
  v[3][l] = (float)f((double)v[0][l])

// Saturation clamps to [0, 1]; NaN becomes 0.
static inline float finish_float(const struct vg_insn *i, float r) {
  r = canonical(r);
  if (i->ftz)
    r = flush32(r);
  if (i->sat)
    r = r > 0 ? (r < 1 ? r : 1) : 0;
  return r;
}
static inline double finish_double(const struct vg_insn *i, double r) {
  if (i->ftz)
    r = flush64(r);
  if (i->sat)
    r = r > 0 ? (r < 1 ? r : 1) : 0;
  return r;
}

// NaN only when both are NaN, or either with .NaN; -0 is less than +0.
#define CHOOSE(x, y, IS_X)                                                     \
  (x != x ? (i->flag ? x : y) : y != y ? (i->flag ? y : x) : (IS_X) ? x : y)
#define MIN_OF(x, y) CHOOSE(x, y, x < y || (x == y && signbit(x)))
#define MAX_OF(x, y) CHOOSE(x, y, x > y || (x == y && !signbit(x)))

// .xorsign.abs: of the magnitudes, with the exclusive or of the signs.
static float with_sign(float r, float x, float y) {
  return r != r ? r : !signbit(x) == !signbit(y) ? r : -r;
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give the upper 32 bits only.
static double upper_half(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= ~UINT64_C(0xFFFFFFFF);
  if (x != x)
    bits = UINT64_C(0x7FFFFFFF) << 32;
  memcpy(&x, &bits, sizeof x);
  return x;
}

FLOAT_SLOW(add_f32, float, flush32, 2, x + y)
FLOAT_SLOW(sub_f32, float, flush32, 2, x - y)
FLOAT_AFTER(mul_f32, float, flush32, 2, x *y, TINY(2))
FLOAT_AFTER(div_f32, float, flush32, 2, x / y, TINY(2))
FLOAT_AFTER(fma_f32, float, flush32, 3, fmaf(x, y, z), TINY(3))
FLOAT_AFTER(rcp_f32, float, flush32, 1, 1 / x, TINY(1))
FLOAT_SLOW(sqrt_f32, float, flush32, 1, sqrtf(x))
FLOAT_SLOW(rsqrt_f32, float, flush32, 1, (float)(1 / sqrt((double)x)))
FLOAT_AFTER(sin_f32, float, flush32, 1, (float)approx_wave((double)x, 0),
            FAR_WAVES(sin))
FLOAT_AFTER(cos_f32, float, flush32, 1, (float)approx_wave((double)x, 1),
            FAR_WAVES(cos))
FLOAT_SLOW(lg2_f32, float, flush32, 1, (float)approx_log2((double)x))
FLOAT_SLOW(ex2_f32, float, flush32, 1, (float)approx_exp2((double)x))
FLOAT_SLOW(tanh_f32, float, flush32, 1, (float)tanh((double)x))
FLOAT_SLOW(min_f32, float, flush32, 2, MIN_OF(x, y))
FLOAT_SLOW(max_f32, float, flush32, 2, MAX_OF(x, y))
FLOAT_SLOW(min_xor_f32, float, flush32, 2, ({
             float p = fabsf(x), q = fabsf(y);
             with_sign(MIN_OF(p, q), x, y);
           }))
FLOAT_SLOW(max_xor_f32, float, flush32, 2, ({
             float p = fabsf(x), q = fabsf(y);
             with_sign(MAX_OF(p, q), x, y);
           }))
#define NAN64(SOURCES)                                                         \
  MEND64(v[3], v[0][l], SOURCES > 1 ? v[1][l] : 0, SOURCES > 2 ? v[2][l] : 0)
FLOAT_AFTER(rsqrt_f64, double, flush64, 1, 1 / sqrt(x), NAN64(1))
FLOAT_AFTER(add_f64, double, flush64, 2, x + y, NAN64(2))
FLOAT_AFTER(sub_f64, double, flush64, 2, x - y, NAN64(2))
FLOAT_AFTER(mul_f64, double, flush64, 2, x *y, NAN64(2))
FLOAT_AFTER(div_f64, double, flush64, 2, x / y, NAN64(2))
FLOAT_AFTER(fma_f64, double, flush64, 3, fma(x, y, z), NAN64(3))
FLOAT_AFTER(rcp_f64, double, flush64, 1, 1 / x, NAN64(1))
FLOAT_AFTER(sqrt_f64, double, flush64, 1, sqrt(x), NAN64(1))
FLOAT_SLOW(rcp_approx_f64, double, flush64, 1, upper_half(1 / x))
FLOAT_SLOW(rsqrt_approx_f64, double, flush64, 1, upper_half(1 / sqrt(x)))
FLOAT_SLOW(min_f64, double, flush64, 2, MIN_OF(x, y))
FLOAT_SLOW(max_f64, double, flush64, 2, MAX_OF(x, y))

// min and max without modifiers.
#define fast_min_f32 slow_min_f32
#define fast_max_f32 slow_max_f32
#define fast_min_f64 slow_min_f64
#define fast_max_f64 slow_max_f64

// ---- Signs and classes, by bits ----

static void op_abs_f32(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (i->ftz)
    LANES1(float, float, flush32(fabsf(x)))
  else
    LANES1(uint32_t, uint32_t, x & 0x7FFFFFFF)
}

static void op_neg_f32(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (i->ftz)
    LANES1(float, float, flush32(-x))
  else
    LANES1(uint32_t, uint32_t, x ^ 0x80000000)
}

static void all_abs_f32(struct vg_warp *w, uint32_t count,
                        const struct vg_insn *i) {
  if (i->ftz)
    WARPS1(float, float, flush32(fabsf(x)))
  else
    WARPS1(uint32_t, uint32_t, x & 0x7FFFFFFF)
}

static void all_neg_f32(struct vg_warp *w, uint32_t count,
                        const struct vg_insn *i) {
  if (i->ftz)
    WARPS1(float, float, flush32(-x))
  else
    WARPS1(uint32_t, uint32_t, x ^ 0x80000000)
}

static void op_abs_f64(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES1(uint64_t, uint64_t, x & ~(UINT64_C(1) << 63))
}

static void op_neg_f64(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES1(uint64_t, uint64_t, x ^ UINT64_C(1) << 63)
}

// copysign d, a, b: the sign of a, the magnitude of b.
static void op_copysign_f32(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m) {
  LANES2(uint32_t, uint32_t, uint32_t, (x & 0x80000000) | (y & 0x7FFFFFFF))
}

static void op_copysign_f64(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m) {
  LANES2(uint64_t, uint64_t, uint64_t,
         (x & UINT64_C(1) << 63) | (y & ~(UINT64_C(1) << 63)))
}

static bool is_class(int test, int class) {
  switch (test) {
  case PTX_TESTP_FINITE: return class != FP_INFINITE && class != FP_NAN;
  case PTX_TESTP_INFINITE: return class == FP_INFINITE;
  case PTX_TESTP_NUMBER: return class != FP_NAN;
  case PTX_TESTP_NOTANUMBER: return class == FP_NAN;
  // Zero is a normal number to testp.
  case PTX_TESTP_NORMAL: return class == FP_NORMAL || class == FP_ZERO;
  default: return class == FP_SUBNORMAL;
  }
}

static void op_testp(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask yes;
  if (i->type == PTX_F64) {
    const double *a = VG_AT(w, i->src[0]);
    LANES_MASK(yes, is_class(i->sub, fpclassify(a[l])))
  } else {
    const float *a = VG_AT(w, i->src[0]);
    LANES_MASK(yes, is_class(i->sub, fpclassify(a[l])))
  }
  set_predicate(w, i->dst, m, yes);
}

// ---- Lookup ----

// The handlers of one operation: nearest and plain, and any other.
struct family {
  uint8_t op, type;
  vg_handler fast, slow;
};

#define BOTH(OP, name)                                                         \
  {PTX_OP_##OP, PTX_F32, fast_##name##_f32, slow_##name##_f32}, {              \
    PTX_OP_##OP, PTX_F64, fast_##name##_f64, slow_##name##_f64                 \
  }
#define APPROX(OP, name)                                                       \
  { PTX_OP_##OP, PTX_F32, slow_##name##_f32, slow_##name##_f32 }
static const struct family families[] = {
    BOTH(ADD, add),
    BOTH(SUB, sub),
    BOTH(MUL, mul),
    BOTH(DIV, div),
    BOTH(FMA, fma),
    BOTH(MAD, fma),
    BOTH(RCP, rcp),
    BOTH(SQRT, sqrt),
    BOTH(MIN, min),
    BOTH(MAX, max),
    APPROX(RSQRT, rsqrt),
    APPROX(SIN, sin),
    APPROX(COS, cos),
    APPROX(LG2, lg2),
    APPROX(EX2, ex2),
    APPROX(TANH, tanh),
    {PTX_OP_ABS, PTX_F32, op_abs_f32, op_abs_f32},
    {PTX_OP_NEG, PTX_F32, op_neg_f32, op_neg_f32},
    {PTX_OP_ABS, PTX_F64, op_abs_f64, op_abs_f64},
    {PTX_OP_NEG, PTX_F64, op_neg_f64, op_neg_f64},
    {PTX_OP_COPYSIGN, PTX_F32, op_copysign_f32, op_copysign_f32},
    {PTX_OP_COPYSIGN, PTX_F64, op_copysign_f64, op_copysign_f64},
    {PTX_OP_TESTP, PTX_F32, op_testp, op_testp},
    {PTX_OP_TESTP, PTX_F64, op_testp, op_testp},
    {PTX_OP_RSQRT, PTX_F64, slow_rsqrt_approx_f64, slow_rsqrt_approx_f64},
};

vg_handler vg_find_float(const struct ptx_insn *p) {
  if (p->abs && p->type == PTX_F32)
    return p->op == PTX_OP_MIN ? slow_min_xor_f32 : slow_max_xor_f32;
  if (p->op == PTX_OP_RSQRT && p->type == PTX_F64 && !p->ftz)
    return slow_rsqrt_f64;
  if (p->op == PTX_OP_RCP && p->type == PTX_F64 && p->approx)
    return slow_rcp_approx_f64;
  bool is_plain =
      !p->ftz && !p->sat && (p->round == PTX_ROUND_NONE || p->round == PTX_RN);
  for (size_t n = 0; n < sizeof families / sizeof *families; n++)
    if (families[n].op == p->op && families[n].type == p->type)
      return is_plain ? families[n].fast : families[n].slow;
  return NULL;
}

const struct vg_pair vg_pairs_float[] = {
    {fast_add_f32, all_add_f32},
    {fast_sub_f32, all_sub_f32},
    {fast_mul_f32, all_mul_f32},
    {fast_div_f32, all_div_f32},
    {fast_fma_f32, all_fma_f32},
    {fast_rcp_f32, all_rcp_f32},
    {fast_sqrt_f32, all_sqrt_f32},
    {fast_add_f64, all_add_f64},
    {fast_sub_f64, all_sub_f64},
    {fast_mul_f64, all_mul_f64},
    {fast_div_f64, all_div_f64},
    {fast_fma_f64, all_fma_f64},
    {fast_rcp_f64, all_rcp_f64},
    {fast_sqrt_f64, all_sqrt_f64},
    {op_abs_f32, all_abs_f32},
    {op_neg_f32, all_neg_f32},
    {slow_add_f32, slow_all_add_f32},
    {slow_sub_f32, slow_all_sub_f32},
    {slow_mul_f32, slow_all_mul_f32},
    {slow_div_f32, slow_all_div_f32},
    {slow_fma_f32, slow_all_fma_f32},
    {slow_rcp_f32, slow_all_rcp_f32},
    {slow_sqrt_f32, slow_all_sqrt_f32},
    {slow_rsqrt_f32, slow_all_rsqrt_f32},
    {slow_sin_f32, slow_all_sin_f32},
    {slow_cos_f32, slow_all_cos_f32},
    {slow_lg2_f32, slow_all_lg2_f32},
    {slow_ex2_f32, slow_all_ex2_f32},
    {slow_tanh_f32, slow_all_tanh_f32},
    {slow_min_f32, slow_all_min_f32},
    {slow_max_f32, slow_all_max_f32},
    {slow_min_xor_f32, slow_all_min_xor_f32},
    {slow_max_xor_f32, slow_all_max_xor_f32},
    {slow_rsqrt_f64, slow_all_rsqrt_f64},
    {slow_add_f64, slow_all_add_f64},
    {slow_sub_f64, slow_all_sub_f64},
    {slow_mul_f64, slow_all_mul_f64},
    {slow_div_f64, slow_all_div_f64},
    {slow_fma_f64, slow_all_fma_f64},
    {slow_rcp_f64, slow_all_rcp_f64},
    {slow_sqrt_f64, slow_all_sqrt_f64},
    {slow_rcp_approx_f64, slow_all_rcp_approx_f64},
    {slow_rsqrt_approx_f64, slow_all_rsqrt_approx_f64},
    {slow_min_f64, slow_all_min_f64},
    {slow_max_f64, slow_all_max_f64},
    {NULL, NULL}};

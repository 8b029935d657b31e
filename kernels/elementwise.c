// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on the CPU. Each row of unary.def and binary.def is
// stamped once per element type. One expression stands in four loops, because
// the compiler vectorises only those whose strides it knows: both arguments
// contiguous, one of them a scalar, anything.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/special.h"

// NumPy's floor division and remainder: the remainder has the divisor's sign;
// an integer divided by zero gives 0.
#define STAMP_SIGNED(S, T, U)                                                  \
  static inline T floor_div_##S(T x, T y) {                                    \
    if (y == 0)                                                                \
      return 0;                                                                \
    if (y == (T)-1)                                                            \
      return (T)(0 - (U)x);                                                    \
    return (T)(x / y - (x % y != 0 && (x < 0) != (y < 0)));                    \
  }                                                                            \
  static inline T mod_##S(T x, T y) {                                          \
    if (y == 0 || y == (T)-1)                                                  \
      return 0;                                                                \
    T r = (T)(x % y);                                                          \
    return (T)(r != 0 && (r < 0) != (y < 0) ? r + y : r);                      \
  }
#define STAMP_UNSIGNED(S, T, U)                                                \
  static inline T floor_div_##S(T x, T y) {                                    \
    return (T)(y == 0 ? 0 : x / y);                                            \
  }                                                                            \
  static inline T mod_##S(T x, T y) {                                          \
    return (T)(y == 0 ? 0 : x % y);                                            \
  }
// Squaring; a negative exponent is refused before it comes here.
#define STAMP_POWER(S, T, U)                                                   \
  static inline T power_##S(T x, T y) {                                        \
    uint64_t r = 1, b = (uint64_t)x;                                           \
    for (uint64_t e = (uint64_t)y; e; e >>= 1, b *= b)                         \
      if (e & 1)                                                               \
        r *= b;                                                                \
    return (T)r;                                                               \
  }
#define STAMP_FLOAT(S, T, suffix)                                              \
  static inline T mod_##S(T x, T y) {                                          \
    T r = fmod##suffix(x, y);                                                  \
    if (y == 0)                                                                \
      return (T)NAN;                                                           \
    if (r == 0)                                                                \
      return copysign##suffix(0, y);                                           \
    return (r < 0) != (y < 0) ? r + y : r;                                     \
  }                                                                            \
  static inline T floor_div_##S(T x, T y) {                                    \
    if (y == 0)                                                                \
      return x / y;                                                            \
    T r = fmod##suffix(x, y), q = (x - r) / y;                                 \
    if (r != 0 && (r < 0) != (y < 0))                                          \
      q -= 1;                                                                  \
    if (q == 0)                                                                \
      return copysign##suffix(0, x / y);                                       \
    T f = floor##suffix(q);                                                    \
    return q - f > (T)0.5 ? f + 1 : f;                                         \
  }

// U of the narrow types is 32 bits wide: C would promote them to int, and the
// product of two uint16_t can overflow that.
#define SIGNED_TYPES(X)                                                        \
  X(I8, int8_t, uint32_t)                                                      \
  X(I16, int16_t, uint32_t)                                                    \
  X(I32, int32_t, uint32_t)                                                    \
  X(I64, int64_t, uint64_t)
#define UNSIGNED_TYPES(X)                                                      \
  X(U8, uint8_t, uint32_t)                                                     \
  X(U16, uint16_t, uint32_t)                                                   \
  X(U32, uint32_t, uint32_t)                                                   \
  X(U64, uint64_t, uint64_t)

SIGNED_TYPES(STAMP_SIGNED)
UNSIGNED_TYPES(STAMP_UNSIGNED)
SIGNED_TYPES(STAMP_POWER)
UNSIGNED_TYPES(STAMP_POWER)
STAMP_FLOAT(F32, float, f)
STAMP_FLOAT(F64, double, )

// The remainder with the sign of `x`, as C's %; -1 has none, and the smallest
// number % -1 is undefined in C.
#define STAMP_FMOD(S, T, U)                                                    \
  static inline T fmod_##S(T x, T y) {                                         \
    if (y == 0 || ((T)-1 < 0 && y == (T)-1))                                   \
      return 0;                                                                \
    return (T)(x % y);                                                         \
  }
#define MAGNITUDE(x) ((x) < 0 ? 0 - (uint64_t)(x) : (uint64_t)(x))
#define STAMP_GCD(S, T, U)                                                     \
  static inline T gcd_##S(T x, T y) {                                          \
    return (T)special_gcd(MAGNITUDE(x), MAGNITUDE(y));                         \
  }                                                                            \
  static inline T lcm_##S(T x, T y) {                                          \
    uint64_t g = special_gcd(MAGNITUDE(x), MAGNITUDE(y));                      \
    return (T)(g == 0 ? 0 : MAGNITUDE(x) / g * MAGNITUDE(y));                  \
  }

static inline int count_bits(uint64_t x, size_t bytes) {
  return __builtin_popcountll(
      bytes == 8 ? x : x & (((uint64_t)1 << 8 * bytes) - 1));
}

// C's tgamma gives NaN at 0 and below for whole numbers; so do SciPy and JAX,
// except that 0 gives an infinity of its sign.
#define STAMP_SPECIAL(T, suffix)                                               \
  static inline T gamma_of##suffix(T x) {                                      \
    return x == -(T)INFINITY ? (T)NAN : tgamma##suffix(x);                     \
  }                                                                            \
  static inline T scale_by##suffix(T x, T y) {                                 \
    T n = y < -9999 ? -9999 : y > 9999 ? 9999 : y;                             \
    return y != y ? y : ldexp##suffix(x, (int)n);                              \
  }                                                                            \
  static inline T log_add_exp##suffix(T x, T y) {                              \
    if (x == y)                                                                \
      return x + (T)M_LN2;                                                     \
    T high = x > y ? x : y, low = x > y ? y : x;                               \
    return x != x || y != y ? x + y                                            \
                            : high + log1p##suffix(exp##suffix(low - high));   \
  }                                                                            \
  static inline T expit##suffix(T x) {                                         \
    if (x >= 0)                                                                \
      return 1 / (1 + exp##suffix(-x));                                        \
    T e = exp##suffix(x);                                                      \
    return e / (1 + e);                                                        \
  }                                                                            \
  static inline T log_add_exp2##suffix(T x, T y) {                             \
    if (x == y)                                                                \
      return x + 1;                                                            \
    T high = x > y ? x : y, low = x > y ? y : x;                               \
    return x != x || y != y                                                    \
               ? x + y                                                         \
               : high + (T)M_LOG2E * log1p##suffix(exp2##suffix(low - high));  \
  }
STAMP_SPECIAL(float, f)
STAMP_SPECIAL(double, )

// Rows are written once for signed and unsigned types, and `x < 0` is never
// true for the latter.
#pragma GCC diagnostic ignored "-Wtype-limits"

SIGNED_TYPES(STAMP_FMOD)
UNSIGNED_TYPES(STAMP_FMOD)
SIGNED_TYPES(STAMP_GCD)
UNSIGNED_TYPES(STAMP_GCD)

// ---- The loops ----

// A column that says NONE still gets a loop, of zeros, that no table hands out.
#define NONE         0
#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define R_OF(kind)                                                             \
  __typeof__(__builtin_choose_expr((kind) == 'p', (uint8_t)0, (T)0))

#define UNARY_LOOP(fn, R, expr)                                                \
  static void fn(char *restrict out, int64_t so, const char *a, int64_t sa,    \
                 int64_t n) {                                                  \
    if (so == sizeof(R) && sa == sizeof(T)) {                                  \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = ((const T *)a)[i];                                         \
        (void)x;                                                               \
        ((R *)out)[i] = (R)(expr);                                             \
      }                                                                        \
      return;                                                                  \
    }                                                                          \
    for (int64_t i = 0; i < n; i++) {                                          \
      const T x = *(const T *)(a + i * sa);                                    \
      (void)x;                                                                 \
      *(R *)(out + i * so) = (R)(expr);                                        \
    }                                                                          \
  }

#define BINARY_LOOP(fn, R, expr)                                               \
  static void fn(char *restrict out, int64_t so, const char *a, int64_t sa,    \
                 const char *b, int64_t sb, int64_t n) {                       \
    R *restrict r = (R *)out;                                                  \
    const T *p = (const T *)a, *q = (const T *)b;                              \
    const int64_t w = sizeof(T);                                               \
    if (so == sizeof(R) && sa == w && sb == w) {                               \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = p[i], y = q[i];                                            \
        (void)x, (void)y;                                                      \
        r[i] = (R)(expr);                                                      \
      }                                                                        \
    } else if (so == sizeof(R) && sa == w && sb == 0 && n > 0) {               \
      const T y = *q;                                                          \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = p[i];                                                      \
        (void)x, (void)y;                                                      \
        r[i] = (R)(expr);                                                      \
      }                                                                        \
    } else if (so == sizeof(R) && sa == 0 && sb == w && n > 0) {               \
      const T x = *p;                                                          \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T y = q[i];                                                      \
        (void)x, (void)y;                                                      \
        r[i] = (R)(expr);                                                      \
      }                                                                        \
    } else {                                                                   \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = *(const T *)(a + i * sa), y = *(const T *)(b + i * sb);    \
        (void)x, (void)y;                                                      \
        *(R *)(out + i * so) = (R)(expr);                                      \
      }                                                                        \
    }                                                                          \
  }

// One inclusion per type: a .def table cannot be read inside a macro.
#define T      uint8_t
#define U      uint32_t
#define SUFFIX BOOL
#define IS_BOOL
#define HAS_SIGN 0
#include "kernels/elementwise_type.h"
#define T      int8_t
#define U      uint32_t
#define SUFFIX I8
#define IS_INTEGER
#define HAS_SIGN 1
#include "kernels/elementwise_type.h"
#define T      int16_t
#define U      uint32_t
#define SUFFIX I16
#define IS_INTEGER
#define HAS_SIGN 1
#include "kernels/elementwise_type.h"
#define T      int32_t
#define U      uint32_t
#define SUFFIX I32
#define IS_INTEGER
#define HAS_SIGN 1
#include "kernels/elementwise_type.h"
#define T      int64_t
#define U      uint64_t
#define SUFFIX I64
#define IS_INTEGER
#define HAS_SIGN 1
#include "kernels/elementwise_type.h"
#define T      uint8_t
#define U      uint32_t
#define SUFFIX U8
#define IS_INTEGER
#define HAS_SIGN 0
#include "kernels/elementwise_type.h"
#define T      uint16_t
#define U      uint32_t
#define SUFFIX U16
#define IS_INTEGER
#define HAS_SIGN 0
#include "kernels/elementwise_type.h"
#define T      uint32_t
#define U      uint32_t
#define SUFFIX U32
#define IS_INTEGER
#define HAS_SIGN 0
#include "kernels/elementwise_type.h"
#define T      uint64_t
#define U      uint64_t
#define SUFFIX U64
#define IS_INTEGER
#define HAS_SIGN 0
#include "kernels/elementwise_type.h"
#define T      float
#define U      float
#define SUFFIX F32
#define IS_FLOAT
#define HAS_SIGN 1
#define F(name)  name##f
#include "kernels/elementwise_type.h"
#define T      double
#define U      double
#define SUFFIX F64
#define IS_FLOAT
#define HAS_SIGN 1
#define F(name)  name
#include "kernels/elementwise_type.h"

// ---- The tables ----

struct unary_row {
  const char *name;
  char kind;
  const char *column[2]; // integers, floats: "NONE" where there is no loop
};

static const struct unary_row unary_rows[KERNEL_UNARY_COUNT] = {
#define UNARY(name, text, kind, i, f) {text, kind, {#i, #f}},
#include "kernels/unary.def"
#undef UNARY
};

struct binary_row {
  const char *name;
  char kind;
  const char *column[3]; // bool, integers, floats
};

static const struct binary_row binary_rows[KERNEL_BINARY_COUNT] = {
#define BINARY(name, text, kind, b, i, f) {text, kind, {#b, #i, #f}},
#include "kernels/binary.def"
#undef BINARY
};

static const kernel_unary_loop *const unary_loops[DTYPE_COUNT] = {
    [DTYPE_BOOL] = unary_BOOL, [DTYPE_I8] = unary_I8,   [DTYPE_I16] = unary_I16,
    [DTYPE_I32] = unary_I32,   [DTYPE_I64] = unary_I64, [DTYPE_U8] = unary_U8,
    [DTYPE_U16] = unary_U16,   [DTYPE_U32] = unary_U32, [DTYPE_U64] = unary_U64,
    [DTYPE_F32] = unary_F32,   [DTYPE_F64] = unary_F64,
};

static const kernel_binary_loop *const binary_loops[DTYPE_COUNT] = {
    [DTYPE_BOOL] = binary_BOOL, [DTYPE_I8] = binary_I8,
    [DTYPE_I16] = binary_I16,   [DTYPE_I32] = binary_I32,
    [DTYPE_I64] = binary_I64,   [DTYPE_U8] = binary_U8,
    [DTYPE_U16] = binary_U16,   [DTYPE_U32] = binary_U32,
    [DTYPE_U64] = binary_U64,   [DTYPE_F32] = binary_F32,
    [DTYPE_F64] = binary_F64,
};

char kernel_unary_kind(enum kernel_unary op) {
  return unary_rows[op].kind;
}
char kernel_binary_kind(enum kernel_binary op) {
  return binary_rows[op].kind;
}

const char *kernel_unary_name(enum kernel_unary op) {
  return unary_rows[op].name;
}

const char *kernel_binary_name(enum kernel_binary op) {
  return binary_rows[op].name;
}

kernel_unary_loop kernel_unary(enum kernel_unary op, enum dtype t) {
  const char *column = unary_rows[op].column[dtype_kind(t) == 'f'];
  bool is_bool_number = t == DTYPE_BOOL && unary_rows[op].kind == 'n';
  if (!unary_loops[t] || !strcmp(column, "NONE") || is_bool_number)
    return NULL;
  return unary_loops[t][op];
}

kernel_binary_loop kernel_binary(enum kernel_binary op, enum dtype t) {
  int column = t == DTYPE_BOOL ? 0 : dtype_kind(t) == 'f' ? 2 : 1;
  if (!binary_loops[t] || !strcmp(binary_rows[op].column[column], "NONE"))
    return NULL;
  return binary_loops[t][op];
}

// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on the CPU. Each row of unary.def and binary.def is
// stamped once per element type: here for bools and integers, in
// elementwise_float.c for floats.
#include "kernels/elementwise_loop.h"

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

// Rows are written once for signed and unsigned types, and `x < 0` is never
// true for the latter.
#pragma GCC diagnostic ignored "-Wtype-limits"

SIGNED_TYPES(STAMP_FMOD)
UNSIGNED_TYPES(STAMP_FMOD)
SIGNED_TYPES(STAMP_GCD)
UNSIGNED_TYPES(STAMP_GCD)

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
};

static const kernel_binary_loop *const binary_loops[DTYPE_COUNT] = {
    [DTYPE_BOOL] = binary_BOOL, [DTYPE_I8] = binary_I8,
    [DTYPE_I16] = binary_I16,   [DTYPE_I32] = binary_I32,
    [DTYPE_I64] = binary_I64,   [DTYPE_U8] = binary_U8,
    [DTYPE_U16] = binary_U16,   [DTYPE_U32] = binary_U32,
    [DTYPE_U64] = binary_U64,
};

// The widest loops that this machine runs.
static const struct float_loops *floats(void) {
#ifdef KERNELS_HAVE_WIDE
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
    return &float_loops_v3;
#endif
  return &float_loops;
}

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
  bool is_float = dtype_kind(t) == 'f';
  const char *column = unary_rows[op].column[is_float];
  bool is_bool_number = t == DTYPE_BOOL && unary_rows[op].kind == 'n';
  if (dtype_bytes(t) == 2 && is_float)
    return NULL;
  if (!strcmp(column, "NONE") || is_bool_number)
    return NULL;
  return is_float ? floats()->unary[t == DTYPE_F64][op] : unary_loops[t][op];
}

kernel_binary_loop kernel_binary(enum kernel_binary op, enum dtype t) {
  bool is_float = dtype_kind(t) == 'f';
  int column = t == DTYPE_BOOL ? 0 : is_float ? 2 : 1;
  if (dtype_bytes(t) == 2 && is_float)
    return NULL;
  if (!strcmp(binary_rows[op].column[column], "NONE"))
    return NULL;
  return is_float ? floats()->binary[t == DTYPE_F64][op] : binary_loops[t][op];
}

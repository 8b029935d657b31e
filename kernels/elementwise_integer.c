// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on bools and integers: each row of unary.def and
// binary.def is stamped once per element type.
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

// ---- The table ----

const struct integer_loops WIDTH(integer_loops) = {
    {
        [DTYPE_BOOL] = unary_BOOL,
        [DTYPE_I8] = unary_I8,
        [DTYPE_I16] = unary_I16,
        [DTYPE_I32] = unary_I32,
        [DTYPE_I64] = unary_I64,
        [DTYPE_U8] = unary_U8,
        [DTYPE_U16] = unary_U16,
        [DTYPE_U32] = unary_U32,
        [DTYPE_U64] = unary_U64,
    },
    {
        [DTYPE_BOOL] = binary_BOOL,
        [DTYPE_I8] = binary_I8,
        [DTYPE_I16] = binary_I16,
        [DTYPE_I32] = binary_I32,
        [DTYPE_I64] = binary_I64,
        [DTYPE_U8] = binary_U8,
        [DTYPE_U16] = binary_U16,
        [DTYPE_U32] = binary_U32,
        [DTYPE_U64] = binary_U64,
    },
};

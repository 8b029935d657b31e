// SPDX-License-Identifier: Apache-2.0
// Reductions on the CPU.
#include <stddef.h>
#include <string.h>

#include "kernels/kernels.h"

// ---- Sums ----

// Pairwise: blocks of up to 128 are added in 8 lanes (which also lets the
// compiler vectorise), halves are added recursively. The order depends on `n`
// alone, so that a sum is the same on every machine.
#define PAIRWISE(S, T)                                                         \
  static T pairwise_##S(const char *a, int64_t s, int64_t n) {                 \
    if (n < 8) {                                                               \
      T sum = 0;                                                               \
      for (int64_t i = 0; i < n; i++)                                          \
        sum += *(const T *)(a + i * s);                                        \
      return sum;                                                              \
    }                                                                          \
    if (n > 128) {                                                             \
      int64_t half = n / 2 - n / 2 % 8;                                        \
      return pairwise_##S(a, s, half) +                                        \
             pairwise_##S(a + half * s, s, n - half);                          \
    }                                                                          \
    T r[8];                                                                    \
    for (int k = 0; k < 8; k++)                                                \
      r[k] = *(const T *)(a + k * s);                                          \
    int64_t i = 8;                                                             \
    for (; i + 8 <= n; i += 8)                                                 \
      for (int k = 0; k < 8; k++)                                              \
        r[k] += *(const T *)(a + (i + k) * s);                                 \
    T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])); \
    for (; i < n; i++)                                                         \
      sum += *(const T *)(a + i * s);                                          \
    return sum;                                                                \
  }                                                                            \
  static void sum_##S(char *out, const char *a, int64_t s, int64_t n) {        \
    *(T *)out = pairwise_##S(a, s, n);                                         \
  }
PAIRWISE(F32, float)
PAIRWISE(F64, double)

#define FOLD(fn, S, T, R, start, step)                                         \
  static void fn##_##S(char *out, const char *a, int64_t s, int64_t n) {       \
    R r = (start);                                                             \
    for (int64_t i = 0; i < n; i++) {                                          \
      const T x = *(const T *)(a + i * s);                                     \
      step;                                                                    \
    }                                                                          \
    *(R *)out = r;                                                             \
  }
// An integer sum wraps, and does so in unsigned arithmetic.
FOLD(sum, I64, uint64_t, uint64_t, 0, r += x)
FOLD(prod, I64, uint64_t, uint64_t, 1, r *= x)
FOLD(prod, F32, float, float, 1, r *= x)
FOLD(prod, F64, double, double, 1, r *= x)

// ---- Order ----

// A NaN wins, as in NumPy; `v != v` is never true for integers.
#define EXTREME(S, T)                                                          \
  FOLD(min, S, T, T, *(const T *)a, r = x < r || x != x ? x : r)               \
  FOLD(max, S, T, T, *(const T *)a, r = x > r || x != x ? x : r)               \
  static void argmin_##S(char *out, const char *a, int64_t s, int64_t n) {     \
    int64_t at = 0;                                                            \
    T r = *(const T *)a;                                                       \
    for (int64_t i = 1; i < n && r == r; i++) {                                \
      const T x = *(const T *)(a + i * s);                                     \
      if (x < r || x != x)                                                     \
        r = x, at = i;                                                         \
    }                                                                          \
    *(int64_t *)out = at;                                                      \
  }                                                                            \
  static void argmax_##S(char *out, const char *a, int64_t s, int64_t n) {     \
    int64_t at = 0;                                                            \
    T r = *(const T *)a;                                                       \
    for (int64_t i = 1; i < n && r == r; i++) {                                \
      const T x = *(const T *)(a + i * s);                                     \
      if (x > r || x != x)                                                     \
        r = x, at = i;                                                         \
    }                                                                          \
    *(int64_t *)out = at;                                                      \
  }                                                                            \
  FOLD(any, S, T, uint8_t, 0, r |= x != 0)                                     \
  FOLD(all, S, T, uint8_t, 1, r &= x != 0)
EXTREME(BOOL, uint8_t)
EXTREME(I8, int8_t)
EXTREME(I16, int16_t)
EXTREME(I32, int32_t)
EXTREME(I64, int64_t)
EXTREME(U8, uint8_t)
EXTREME(U16, uint16_t)
EXTREME(U32, uint32_t)
EXTREME(U64, uint64_t)
EXTREME(F32, float)
EXTREME(F64, double)

#define ORDER(S)                                                               \
  [KERNEL_MIN] = min_##S, [KERNEL_MAX] = max_##S,                              \
  [KERNEL_ARGMIN] = argmin_##S, [KERNEL_ARGMAX] = argmax_##S,                  \
  [KERNEL_ANY] = any_##S, [KERNEL_ALL] = all_##S
#define SUMS(S) [KERNEL_SUM] = sum_##S, [KERNEL_PROD] = prod_##S

static const kernel_reduce_loop loops[DTYPE_COUNT][KERNEL_REDUCE_COUNT] = {
    [DTYPE_BOOL] = {ORDER(BOOL)},
    [DTYPE_I8] = {ORDER(I8)},
    [DTYPE_I16] = {ORDER(I16)},
    [DTYPE_I32] = {ORDER(I32)},
    [DTYPE_I64] = {ORDER(I64), SUMS(I64)},
    [DTYPE_U8] = {ORDER(U8)},
    [DTYPE_U16] = {ORDER(U16)},
    [DTYPE_U32] = {ORDER(U32)},
    [DTYPE_U64] = {ORDER(U64), SUMS(I64)},
    [DTYPE_F32] = {ORDER(F32), SUMS(F32)},
    [DTYPE_F64] = {ORDER(F64), SUMS(F64)},
};

kernel_reduce_loop kernel_reduce(enum kernel_reduce op, enum dtype t) {
  return loops[t][op];
}

// SPDX-License-Identifier: Apache-2.0
// Sums of products of two lines, and products of complex numbers.
#include <string.h>

#include "kernels/width.h"

// ---- Sums of products ----

// Up to LEAF products are added in 8 lanes, halves of what is longer
// recursively: the order depends on `n` alone.
enum { LEAF = 512, LANES = 8 };

static int64_t half_of(int64_t n) {
  return n / 2 - n / 2 % LANES;
}

// Are two halvings enough, and needed?
static bool is_four_leaves(int64_t n) {
  int64_t left = half_of(n), right = n - left;
  return left > LEAF && right - half_of(right) <= LEAF;
}

// Four leaves are added in turns, since the lanes of one alone wait for each
// addition to end.
#define INNER(S, T, V)                                                         \
  typedef T V __attribute__((vector_size(LANES * sizeof(T)), may_alias));      \
  static T rest_##S(const V *sums, struct kernel_line a, struct kernel_line b, \
                    int64_t from, int64_t n) {                                 \
    T lane[LANES];                                                             \
    memcpy(lane, sums, sizeof lane);                                           \
    for (int64_t i = from; i < n; i++)                                         \
      lane[i % LANES] += *(const T *)(a.at + i * a.stride) *                   \
                         *(const T *)(b.at + i * b.stride);                    \
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +                       \
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));                        \
  }                                                                            \
  static inline void step_##S(V *sums, const T *a, const T *b) {               \
    V x, y;                                                                    \
    memcpy(&x, a, sizeof x);                                                   \
    memcpy(&y, b, sizeof y);                                                   \
    *sums += x * y;                                                            \
  }                                                                            \
  static T four_##S(const T *a, const T *b, int64_t n) {                       \
    const int64_t w = sizeof(T), h = half_of(n);                               \
    const int64_t at[5] = {0, half_of(h), h, h + half_of(n - h), n};           \
    int64_t least = n, i = 0;                                                  \
    V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                  \
    for (int k = 0; k < 4; k++)                                                \
      least = at[k + 1] - at[k] < least ? at[k + 1] - at[k] : least;           \
    for (; i + LANES <= least; i += LANES) {                                   \
      step_##S(&s0, a + i, b + i);                                             \
      step_##S(&s1, a + at[1] + i, b + at[1] + i);                             \
      step_##S(&s2, a + at[2] + i, b + at[2] + i);                             \
      step_##S(&s3, a + at[3] + i, b + at[3] + i);                             \
    }                                                                          \
    T r[4];                                                                    \
    const V sums[4] = {s0, s1, s2, s3};                                        \
    for (int k = 0; k < 4; k++)                                                \
      r[k] = rest_##S(&sums[k],                                                \
                      (struct kernel_line){(const char *)(a + at[k]), w},      \
                      (struct kernel_line){(const char *)(b + at[k]), w}, i,   \
                      at[k + 1] - at[k]);                                      \
    return (r[0] + r[1]) + (r[2] + r[3]);                                      \
  }                                                                            \
  static T sum_##S(const char *a, int64_t sa, const char *b, int64_t sb,       \
                   int64_t n) {                                                \
    const bool is_together = sa == sizeof(T) && sb == sizeof(T);               \
    if (is_together && is_four_leaves(n))                                      \
      return four_##S((const T *)a, (const T *)b, n);                          \
    if (n > LEAF) {                                                            \
      int64_t half = half_of(n);                                               \
      return sum_##S(a, sa, b, sb, half) +                                     \
             sum_##S(a + half * sa, sa, b + half * sb, sb, n - half);          \
    }                                                                          \
    V sums = {0};                                                              \
    int64_t i = 0;                                                             \
    for (; is_together && i + LANES <= n; i += LANES)                          \
      step_##S(&sums, (const T *)a + i, (const T *)b + i);                     \
    return rest_##S(&sums, (struct kernel_line){a, sa},                        \
                    (struct kernel_line){b, sb}, i, n);                        \
  }                                                                            \
  static void inner_##S(char *out, const char *a, int64_t sa, const char *b,   \
                        int64_t sb, int64_t n) {                               \
    *(T *)out = sum_##S(a, sa, b, sb, n);                                      \
  }
// Integers wrap, and do so in unsigned arithmetic.
INNER(F32, float, vector_f32)
INNER(F64, double, vector_f64)
INNER(W32, uint32_t, vector_w32)
INNER(W64, uint64_t, vector_w64)

kernel_inner_loop WIDTH(find_inner)(enum dtype t) {
  switch (t) {
  case DTYPE_F32: return inner_F32;
  case DTYPE_F64: return inner_F64;
  default: return dtype_bytes(t) == 8 ? inner_W64 : inner_W32;
  }
}

// ---- Complex products ----

#define COMPLEX(S, T)                                                          \
  static void multiply_##S(T *restrict re, T *restrict im, char *const *of,    \
                           int64_t n) {                                        \
    const T *a = (const T *)of[0], *b = (const T *)of[1];                      \
    const T *c = (const T *)of[2], *d = (const T *)of[3];                      \
    for (int64_t i = 0; i < n; i++) {                                          \
      re[i] = a[i] * c[i] - b[i] * d[i];                                       \
      im[i] = a[i] * d[i] + b[i] * c[i];                                       \
    }                                                                          \
  }
COMPLEX(F32, float)
COMPLEX(F64, double)

void WIDTH(complex_multiply)(enum dtype t, char *const *p, int64_t n) {
  if (t == DTYPE_F64)
    multiply_F64((double *)p[0], (double *)p[1], p + 2, n);
  else
    multiply_F32((float *)p[0], (float *)p[1], p + 2, n);
}

// SPDX-License-Identifier: Apache-2.0
// Reductions on the CPU.
#include <stddef.h>
#include <string.h>

#include "kernels/width.h"

// Each operation stands in two loops: one line to one element, and lines that
// lie side by side (columns), each to its own element. Both give the same bits.

// ---- Sums ----

// Pairwise: blocks of up to 128 are added in 8 lanes (which also lets the
// compiler vectorise), halves are added recursively. The order depends on `n`
// alone, so that a sum is the same on every machine and along every axis.
enum { TILE = 64 }; // columns that are added together

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
  }                                                                            \
  static void add_row_##S(T *restrict r, const char *a, int w) {               \
    const T *row = (const T *)a;                                               \
    for (int c = 0; c < w; c++)                                                \
      r[c] += row[c];                                                          \
  }                                                                            \
  static void tile_##S(T *restrict r, const char *a, int64_t s, int64_t n,     \
                       int w) {                                                \
    T lane[8][TILE];                                                           \
    int64_t i = 0;                                                             \
    if (n > 128) {                                                             \
      int64_t half = n / 2 - n / 2 % 8;                                        \
      tile_##S(r, a, s, half, w);                                              \
      tile_##S(lane[0], a + half * s, s, n - half, w);                         \
      add_row_##S(r, (const char *)lane[0], w);                                \
      return;                                                                  \
    }                                                                          \
    memset(r, 0, (size_t)w * sizeof(T));                                       \
    if (n >= 8) {                                                              \
      for (int k = 0; k < 8; k++)                                              \
        memcpy(lane[k], a + k * s, (size_t)w * sizeof(T));                     \
      for (i = 8; i + 8 <= n; i += 8)                                          \
        for (int k = 0; k < 8; k++)                                            \
          add_row_##S(lane[k], a + (i + k) * s, w);                            \
      for (int c = 0; c < w; c++)                                              \
        r[c] = ((lane[0][c] + lane[1][c]) + (lane[2][c] + lane[3][c])) +       \
               ((lane[4][c] + lane[5][c]) + (lane[6][c] + lane[7][c]));        \
    }                                                                          \
    for (; i < n; i++)                                                         \
      add_row_##S(r, a + i * s, w);                                            \
  }                                                                            \
  static void sum_columns_##S(char *out, const char *a, int64_t s, int64_t n,  \
                              int64_t columns) {                               \
    for (int64_t c = 0; c < columns; c += TILE) {                              \
      int w = columns - c < TILE ? (int)(columns - c) : TILE;                  \
      tile_##S((T *)out + c, a + c * (int64_t)sizeof(T), s, n, w);             \
    }                                                                          \
  }
PAIRWISE(F32, float)
PAIRWISE(F64, double)

#define FOLD(fn, S, T, R, start, step)                                         \
  static void fn##_##S(char *out, const char *a, int64_t s, int64_t n) {       \
    R r = (start);                                                             \
    int64_t i = 0;                                                             \
    if (s == sizeof(T)) /* vectorises, of integers */                          \
      for (; i < n; i++) {                                                     \
        const T x = ((const T *)a)[i];                                         \
        step;                                                                  \
      }                                                                        \
    for (; i < n; i++) {                                                       \
      const T x = *(const T *)(a + i * s);                                     \
      step;                                                                    \
    }                                                                          \
    *(R *)out = r;                                                             \
  }                                                                            \
  static void fn##_columns_##S(char *out, const char *first, int64_t s,        \
                               int64_t n, int64_t columns) {                   \
    R *restrict to = (R *)out;                                                 \
    for (int64_t c = 0; c < columns; c++) {                                    \
      const char *a = first + c * (int64_t)sizeof(T);                          \
      (void)a;                                                                 \
      to[c] = (start);                                                         \
    }                                                                          \
    for (int64_t i = 0; i < n; i++) {                                          \
      const T *row = (const T *)(first + i * s);                               \
      for (int64_t c = 0; c < columns; c++) {                                  \
        const T x = row[c];                                                    \
        R r = to[c];                                                           \
        step;                                                                  \
        to[c] = r;                                                             \
      }                                                                        \
    }                                                                          \
  }
// An integer sum wraps, and does so in unsigned arithmetic.
#define INTEGER_SUMS(S, T)                                                     \
  FOLD(sum, S, T, uint64_t, 0, r += (uint64_t)x)                               \
  FOLD(prod, S, T, uint64_t, 1, r *= (uint64_t)x)
FOLD(sum_any, BOOL, uint8_t, uint64_t, 0, r += x != 0)
FOLD(prod, BOOL, uint8_t, uint64_t, 1, r *= x)
INTEGER_SUMS(I8, int8_t)
INTEGER_SUMS(I16, int16_t)
INTEGER_SUMS(I32, int32_t)
INTEGER_SUMS(I64, int64_t)
INTEGER_SUMS(U8, uint8_t)
INTEGER_SUMS(U16, uint16_t)
INTEGER_SUMS(U32, uint32_t)
INTEGER_SUMS(U64, uint64_t)

// How many are true: up to 255 are counted in each of WIDTH bytes.
static void sum_BOOL(char *out, const char *a, int64_t s, int64_t n) {
  enum { WIDTH = 256, MOST = 255 };
  const uint8_t *p = (const uint8_t *)a;
  uint64_t sum = 0, rest = 0;
  int64_t i = 0;
  while (s == 1 && i + WIDTH <= n) {
    uint8_t lane[WIDTH] = {0};
    uint32_t some = 0;
    for (int k = 0; k < MOST && i + WIDTH <= n; k++, i += WIDTH)
      for (int c = 0; c < WIDTH; c++)
        lane[c] = (uint8_t)(lane[c] + (p[i + c] != 0));
    for (int c = 0; c < WIDTH; c++)
      some += lane[c];
    sum += some;
  }
  sum_any_BOOL((char *)&rest, a + i * s, s, n - i);
  *(uint64_t *)out = sum + rest;
}
static void sum_columns_BOOL(char *out, const char *a, int64_t s, int64_t n,
                             int64_t columns) {
  sum_any_columns_BOOL(out, a, s, n, columns);
}
FOLD(prod, F32, float, float, 1, r *= x)
FOLD(prod, F64, double, double, 1, r *= x)

// ---- Order ----

// Positions: the first of the smallest (or largest), the first NaN before all.
// In a line whose elements lie together the extreme `best` itself is found
// first, which vectorises, and then where it stands: the block, and the element.
#define FIRST(S, T)                                                            \
  static int64_t first_##S(const T *p, int64_t n, T r) {                       \
    enum { BLOCK = 512 };                                                      \
    int64_t at = 0;                                                            \
    for (int is_here = 0; at + BLOCK <= n; at += BLOCK) {                      \
      for (int k = 0; k < BLOCK; k++)                                          \
        is_here |= (p[at + k] == r) | (p[at + k] != p[at + k]);                \
      if (is_here)                                                             \
        break;                                                                 \
    }                                                                          \
    while (p[at] != r && p[at] == p[at])                                       \
      at++;                                                                    \
    return at;                                                                 \
  }
#define POSITION(fn, S, T, op, best)                                           \
  static void fn##_##S(char *out, const char *a, int64_t s, int64_t n) {       \
    int64_t at = 0;                                                            \
    T r = *(const T *)a;                                                       \
    if (s == sizeof(T)) {                                                      \
      const T *p = (const T *)a;                                               \
      best##_##S((char *)&r, a, s, n);                                         \
      at = first_##S(p, n, r);                                                 \
    }                                                                          \
    for (int64_t i = 1; i < n && s != sizeof(T) && r == r; i++) {              \
      const T x = *(const T *)(a + i * s);                                     \
      if (x op r || x != x)                                                    \
        r = x, at = i;                                                         \
    }                                                                          \
    *(int64_t *)out = at;                                                      \
  }                                                                            \
  static void fn##_columns_##S(char *out, const char *a, int64_t s, int64_t n, \
                               int64_t columns) {                              \
    for (int64_t c0 = 0; c0 < columns; c0 += TILE) {                           \
      int w = columns - c0 < TILE ? (int)(columns - c0) : TILE;                \
      T best[TILE];                                                            \
      int64_t at[TILE] = {0};                                                  \
      memcpy(best, (const T *)a + c0, (size_t)w * sizeof(T));                  \
      for (int64_t i = 1; i < n; i++) {                                        \
        const T *row = (const T *)(a + i * s) + c0;                            \
        for (int c = 0; c < w; c++) {                                          \
          const T x = row[c], r = best[c];                                     \
          bool wins = (x op r) | ((x != x) & (r == r));                        \
          best[c] = wins ? x : r;                                              \
          at[c] = wins ? i : at[c];                                            \
        }                                                                      \
      }                                                                        \
      memcpy((int64_t *)out + c0, at, (size_t)w * sizeof *at);                 \
    }                                                                          \
  }

// A long line as rows of WIDTH columns, whose results stay in registers. The
// result depends neither on the order nor on how often an element is looked at.
#define LANES(fn, S, T, R, start, step)                                        \
  FOLD(fn##_any, S, T, R, start, step)                                         \
  static void fn##_##S(char *out, const char *a, int64_t s, int64_t n) {       \
    enum { WIDTH = 256 / sizeof(T), FEW = 16 };                                \
    const T *row = (const T *)a;                                               \
    R lane[WIDTH];                                                             \
    if (s != sizeof(T) || n < 2 * WIDTH) {                                     \
      fn##_any_##S(out, a, s, n);                                              \
      return;                                                                  \
    }                                                                          \
    for (int k = 0; k < WIDTH; k++)                                            \
      lane[k] = (start);                                                       \
    int64_t i = 0;                                                             \
    for (; i + WIDTH <= n; i += WIDTH)                                         \
      for (int k = 0; k < WIDTH; k++) {                                        \
        const T x = row[i + k];                                                \
        R r = lane[k];                                                         \
        step;                                                                  \
        lane[k] = r;                                                           \
      }                                                                        \
    for (int k = 0; i < n && k < WIDTH; k++) { /* some of them again */        \
      const T x = row[n - WIDTH + k];                                          \
      R r = lane[k];                                                           \
      step;                                                                    \
      lane[k] = r;                                                             \
    }                                                                          \
    for (int from = FEW; from < WIDTH; from += FEW)                            \
      for (int k = 0; k < FEW; k++) {                                          \
        const R x = lane[from + k];                                            \
        R r = lane[k];                                                         \
        step;                                                                  \
        lane[k] = r;                                                           \
      }                                                                        \
    R r = lane[0];                                                             \
    for (int k = 1; k < FEW; k++) {                                            \
      const R x = lane[k];                                                     \
      step;                                                                    \
    }                                                                          \
    *(R *)out = r;                                                             \
  }                                                                            \
  static void fn##_columns_##S(char *out, const char *a, int64_t s, int64_t n, \
                               int64_t columns) {                              \
    fn##_any_columns_##S(out, a, s, n, columns);                               \
  }

// A NaN wins, as in NumPy; `v != v` is never true for integers.
#define EXTREME(S, T)                                                          \
  LANES(min, S, T, T, *(const T *)a, r = (x < r) | (x != x) ? x : r)           \
  LANES(max, S, T, T, *(const T *)a, r = (x > r) | (x != x) ? x : r)           \
  FIRST(S, T)                                                                  \
  POSITION(argmin, S, T, <, min)                                               \
  POSITION(argmax, S, T, >, max)                                               \
  LANES(any, S, T, uint8_t, 0, r |= x != 0)                                    \
  LANES(all, S, T, uint8_t, 1, r &= x != 0)
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

// ---- The tables ----

#define ROW(S, c)                                                              \
  [DTYPE_##S] = {                                                              \
      [KERNEL_SUM] = sum##c##_##S,       [KERNEL_PROD] = prod##c##_##S,        \
      [KERNEL_MIN] = min##c##_##S,       [KERNEL_MAX] = max##c##_##S,          \
      [KERNEL_ARGMIN] = argmin##c##_##S, [KERNEL_ARGMAX] = argmax##c##_##S,    \
      [KERNEL_ANY] = any##c##_##S,       [KERNEL_ALL] = all##c##_##S}
#define ROWS(c)                                                                \
  ROW(BOOL, c), ROW(I8, c), ROW(I16, c), ROW(I32, c), ROW(I64, c), ROW(U8, c), \
      ROW(U16, c), ROW(U32, c), ROW(U64, c), ROW(F32, c), ROW(F64, c)

static const kernel_reduce_loop loops[DTYPE_COUNT][KERNEL_REDUCE_COUNT] = {
    ROWS()};
static const kernel_columns_loop
    columns_loops[DTYPE_COUNT][KERNEL_REDUCE_COUNT] = {ROWS(_columns)};

kernel_reduce_loop WIDTH(find_reduce)(enum kernel_reduce op, enum dtype t) {
  return loops[t][op];
}
kernel_columns_loop WIDTH(find_columns)(enum kernel_reduce op, enum dtype t) {
  return columns_loops[t][op];
}

// ---- Running sums and their kin ----

#define SCAN(fn, S, T, step)                                                   \
  static void scan_##fn##_##S(char *out, const char *a, int64_t n) {           \
    const T *p = (const T *)a;                                                 \
    T *restrict to = (T *)out;                                                 \
    T r = p[0];                                                                \
    to[0] = r;                                                                 \
    for (int64_t i = 1; i < n; i++) {                                          \
      const T x = p[i];                                                        \
      r = (step);                                                              \
      to[i] = r;                                                               \
    }                                                                          \
  }
#define SCANS(S, T)                                                            \
  SCAN(sum, S, T, r + x)                                                       \
  SCAN(prod, S, T, x *r)                                                       \
  SCAN(min, S, T, x < r || x != x ? x : r)                                     \
  SCAN(max, S, T, x > r || x != x ? x : r)
SCANS(I64, int64_t)
SCANS(U64, uint64_t)
SCANS(F32, float)
SCANS(F64, double)

#define SCAN_ROW(S)                                                            \
  [DTYPE_##S] = {[KERNEL_SUM] = scan_sum_##S,                                  \
                 [KERNEL_PROD] = scan_prod_##S,                                \
                 [KERNEL_MIN] = scan_min_##S,                                  \
                 [KERNEL_MAX] = scan_max_##S}

kernel_scan_loop WIDTH(find_scan)(enum kernel_reduce op, enum dtype t) {
  static const kernel_scan_loop table[DTYPE_COUNT][KERNEL_REDUCE_COUNT] = {
      SCAN_ROW(I64), SCAN_ROW(U64), SCAN_ROW(F32), SCAN_ROW(F64)};
  // A signed sum wraps: the unsigned one has its bits.
  bool wraps = t == DTYPE_I64 && (op == KERNEL_SUM || op == KERNEL_PROD);
  return table[wraps ? DTYPE_U64 : t][op];
}

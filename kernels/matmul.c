// SPDX-License-Identifier: Apache-2.0
// The matrix product on the CPU. A panel of `b`, KEEP rows of it and as many
// columns as fit into four registers, is copied to where it lies together, and
// tiles of four rows of `out` are computed from it. The order of additions
// depends on the sizes alone and nothing is contracted, so that a product is
// the same on every machine, whatever vectors it has.
#include <string.h>

#include "kernels/kernels.h"

enum {
  KEEP = 256, // rows of b in a panel: with 64 bytes a row, it stays in L1
  ROWS = 4    // of a tile: 4 x 64 bytes of sums fill the registers of AVX2
};

// Part of out, from row i and column j on, over `depth` rows of b from `from` on.
// `from` 0: nothing is in out yet.
struct tile {
  int64_t i, j;
  int64_t rows, columns;
  int64_t from, depth;
};

// In `whole` tiles each sum is a variable of its own, or compilers keep them in
// memory; `part` ones are at the edges.
#define EACH_ROW(X) X(0) X(1) X(2) X(3)
#define SUMS(r)     low##r = {0}, high##r = {0},
#define FETCH(r)                                                               \
  memcpy(&low##r, out + r * x->n, 32);                                         \
  memcpy(&high##r, out + r * x->n + half, 32);
#define ADD(r)                                                                 \
  low##r += *(const type *)(a + r * x->a.row) * b0;                            \
  high##r += *(const type *)(a + r * x->a.row) * b1;
#define STORE(r)                                                               \
  memcpy(out + r * x->n, &low##r, 32);                                         \
  memcpy(out + r * x->n + half, &high##r, 32);

#define TILE(S, T, V)                                                          \
  typedef T V __attribute__((vector_size(32)));                                \
  enum { COLUMNS_##S = 64 / sizeof(T) };                                       \
  static inline __attribute__((always_inline)) void whole_##S(                 \
      const struct kernel_product *x, const T *panel, struct tile t) {         \
    typedef T type;                                                            \
    enum { half = COLUMNS_##S / 2 };                                           \
    V EACH_ROW(SUMS) b0, b1;                                                   \
    T *out = (T *)x->out + t.i * x->n + t.j;                                   \
    const char *a = x->a.data + t.i * x->a.row + t.from * x->a.column;         \
    if (t.from > 0) {                                                          \
      EACH_ROW(FETCH)                                                          \
    }                                                                          \
    for (int64_t p = 0; p < t.depth; p++, a += x->a.column) {                  \
      memcpy(&b0, panel + p * COLUMNS_##S, sizeof b0);                         \
      memcpy(&b1, panel + p * COLUMNS_##S + half, sizeof b1);                  \
      EACH_ROW(ADD)                                                            \
    }                                                                          \
    EACH_ROW(STORE)                                                            \
  }                                                                            \
  static inline __attribute__((always_inline)) void part_##S(                  \
      const struct kernel_product *x, const T *panel, struct tile t) {         \
    for (int64_t r = 0; r < t.rows; r++) {                                     \
      T sum[COLUMNS_##S] = {0}, *out = (T *)x->out + (t.i + r) * x->n + t.j;   \
      const char *a = x->a.data + (t.i + r) * x->a.row + t.from * x->a.column; \
      if (t.from > 0)                                                          \
        memcpy(sum, out, (size_t)t.columns * sizeof(T));                       \
      for (int64_t p = 0; p < t.depth; p++, a += x->a.column)                  \
        for (int c = 0; c < COLUMNS_##S; c++)                                  \
          sum[c] += *(const T *)a * panel[p * COLUMNS_##S + c];                \
      memcpy(out, sum, (size_t)t.columns * sizeof(T));                         \
    }                                                                          \
  }                                                                            \
  static inline __attribute__((always_inline)) void panel_##S(                 \
      const struct kernel_product *x, struct tile t) {                         \
    T panel[KEEP * COLUMNS_##S] __attribute__((aligned(64)));                  \
    memset(panel, 0, (size_t)t.depth * 64);                                    \
    for (int64_t p = 0; p < t.depth; p++) {                                    \
      const char *b = x->b.data + (t.from + p) * x->b.row + t.j * x->b.column; \
      for (int64_t c = 0; c < t.columns; c++)                                  \
        panel[p * COLUMNS_##S + c] = *(const T *)(b + c * x->b.column);        \
    }                                                                          \
    for (t.i = 0; t.i < x->m; t.i += ROWS) {                                   \
      t.rows = x->m - t.i < ROWS ? x->m - t.i : ROWS;                          \
      if (t.rows == ROWS && t.columns == COLUMNS_##S)                          \
        whole_##S(x, panel, t);                                                \
      else                                                                     \
        part_##S(x, panel, t);                                                 \
    }                                                                          \
  }                                                                            \
  static inline __attribute__((always_inline)) void product_##S(               \
      const struct kernel_product *x) {                                        \
    for (int64_t from = 0; from < x->k; from += KEEP) {                        \
      int64_t depth = x->k - from < KEEP ? x->k - from : KEEP;                 \
      for (int64_t j = 0; j < x->n; j += COLUMNS_##S) {                        \
        int64_t columns = x->n - j < COLUMNS_##S ? x->n - j : COLUMNS_##S;     \
        panel_##S(                                                             \
            x, (struct tile){                                                  \
                   .j = j, .columns = columns, .from = from, .depth = depth}); \
      }                                                                        \
    }                                                                          \
  }

#define INSTANCES(S, T, V)                                                     \
  TILE(S, T, V)                                                                \
  static void plain_##S(const struct kernel_product *x) {                      \
    product_##S(x);                                                            \
  }                                                                            \
  WIDE(S)                                                                      \
  static void run_##S(const struct kernel_product *x) {                        \
    if (HAS_WIDE)                                                              \
      wide_##S(x);                                                             \
    else                                                                       \
      plain_##S(x);                                                            \
  }

#ifdef __x86_64__
#  define HAS_WIDE __builtin_cpu_supports("avx2")
#  define WIDE(S)                                                              \
    __attribute__((target("avx2"))) static void wide_##S(                      \
        const struct kernel_product *x) {                                      \
      product_##S(x);                                                          \
    }
#else
#  define HAS_WIDE 0
#  define WIDE(S)                                                              \
    static void wide_##S(const struct kernel_product *x) {                     \
      product_##S(x);                                                          \
    }
#endif

// Integers wrap, and do so in unsigned arithmetic.
INSTANCES(F32, float, vector_f32)
INSTANCES(F64, double, vector_f64)
INSTANCES(W32, uint32_t, vector_w32)
INSTANCES(W64, uint64_t, vector_w64)

// Rows times a vector.
static void multiply_rows(enum dtype t, const struct kernel_product *x) {
  kernel_inner_loop inner = kernel_inner(t);
  int64_t w = (int64_t)dtype_bytes(t);
  for (int64_t i = 0; i < x->m; i++)
    inner(x->out + i * w, x->a.data + i * x->a.row, x->a.column, x->b.data,
          x->b.row, x->k);
}

void kernel_matmul(enum dtype t, const struct kernel_product *x) {
  if (x->k == 0)
    memset(x->out, 0, (size_t)(x->m * x->n) * dtype_bytes(t));
  else if (x->n == 1)
    multiply_rows(t, x);
  else if (t == DTYPE_F32)
    run_F32(x);
  else if (t == DTYPE_F64)
    run_F64(x);
  else if (dtype_bytes(t) == 8)
    run_W64(x);
  else
    run_W32(x);
}

// ---- Convolution ----

// Row by row, so that the inner loop runs along `a` and vectorises.
#define SLIDE(S, T)                                                            \
  static void slide_##S(T *restrict out, const T *a, int64_t na, const T *b,   \
                        int64_t nb) {                                          \
    memset(out, 0, (size_t)(na - nb + 1) * sizeof(T));                         \
    for (int64_t j = 0; j < nb; j++)                                           \
      for (int64_t i = 0; i <= na - nb; i++)                                   \
        out[i] += a[i + j] * b[j];                                             \
  }
SLIDE(F32, float)
SLIDE(F64, double)
SLIDE(W32, uint32_t)
SLIDE(W64, uint64_t)

void kernel_slide(enum dtype t, char *out, const char *a, int64_t na,
                  const char *b, int64_t nb) {
  if (t == DTYPE_F32)
    slide_F32((float *)out, (const float *)a, na, (const float *)b, nb);
  else if (t == DTYPE_F64)
    slide_F64((double *)out, (const double *)a, na, (const double *)b, nb);
  else if (dtype_bytes(t) == 8)
    slide_W64((uint64_t *)out, (const uint64_t *)a, na, (const uint64_t *)b,
              nb);
  else
    slide_W32((uint32_t *)out, (const uint32_t *)a, na, (const uint32_t *)b,
              nb);
}

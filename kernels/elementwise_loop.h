// SPDX-License-Identifier: Apache-2.0
// The loops that elementwise_integer.c and _float.c stamp. One expression
// stands in four loops, because the compiler vectorises only those whose strides
// it knows: both arguments contiguous, one of them a scalar, anything. `mend` is
// done at the end: it computes again what the vectorised expression cannot. All
// is done in blocks, so that `mend` finds its arguments in the cache; arguments
// with gaps are brought together there first, and computed with as the others.
#ifndef KERNELS_ELEMENTWISE_LOOP_H
#define KERNELS_ELEMENTWISE_LOOP_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/special.h"
#include "kernels/width.h"

// A column that says NONE still gets a function, an empty one (`text` is known
// when it is compiled), that no table hands out.
#define NONE         0
#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define R_OF(kind)                                                             \
  __typeof__(__builtin_choose_expr((kind) == 'p', (uint8_t)0, (T)0))

enum { BLOCK = 2048, LEAST_PACKED = 16 }; // elements
#define MEND_NONE(...) (void)0

// `n` elements with gaps, together in `to`. Every second one is so common, as
// x["::2"] and the real parts of pairs, that it has a loop which vectorises.
#define PACK(T)                                                                \
  static const char *PASTE(pack, SUFFIX)(T *restrict to, const char *a,        \
                                         int64_t s, int64_t n) {               \
    if (s == 2 * (int64_t)sizeof(T))                                           \
      for (int64_t i = 0; i < n; i++)                                          \
        to[i] = ((const T *)a)[2 * i];                                         \
    else                                                                       \
      for (int64_t i = 0; i < n; i++)                                          \
        to[i] = *(const T *)(a + i * s);                                       \
    return (const char *)to;                                                   \
  }
#define UNARY_LOOP(fn, R, expr, text, mend, op)                                \
  static void PASTE(part, fn)(char *restrict out, int64_t so, const char *a,   \
                              int64_t sa, int64_t n) {                         \
    if (!__builtin_strcmp(text, "NONE"))                                       \
      return;                                                                  \
    if (so == sizeof(R) && sa == sizeof(T)) {                                  \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = ((const T *)a)[i];                                         \
        (void)x;                                                               \
        ((R *)out)[i] = (R)(expr);                                             \
      }                                                                        \
      mend(op, out, so, a, sa, n);                                             \
      return;                                                                  \
    }                                                                          \
    for (int64_t i = 0; i < n; i++) {                                          \
      const T x = *(const T *)(a + i * sa);                                    \
      (void)x;                                                                 \
      *(R *)(out + i * so) = (R)(expr);                                        \
    }                                                                          \
    mend(op, out, so, a, sa, n);                                               \
  }                                                                            \
  static void fn(char *restrict out, int64_t so, const char *a, int64_t sa,    \
                 int64_t n) {                                                  \
    const int64_t w = sizeof(T);                                               \
    T room[BLOCK];                                                             \
    for (int64_t i = 0; i < n; i += BLOCK) {                                   \
      const int64_t some = n - i < BLOCK ? n - i : BLOCK;                      \
      const bool is_packed =                                                   \
          sa != w && so == sizeof(R) && some >= LEAST_PACKED;                  \
      const char *p = a + i * sa;                                              \
      PASTE(part, fn)                                                          \
      (out + i * so, so,                                                       \
       is_packed ? PASTE(pack, SUFFIX)(room, p, sa, some) : p,                 \
       is_packed ? w : sa, some);                                              \
    }                                                                          \
  }

#define BINARY_LOOP(fn, R, expr, text, mend, op)                               \
  static void PASTE(part, fn)(char *restrict out, int64_t so,                  \
                              struct kernel_line a, struct kernel_line b,      \
                              int64_t n) {                                     \
    R *restrict r = (R *)out;                                                  \
    const T *p = (const T *)a.at, *q = (const T *)b.at;                        \
    const int64_t w = sizeof(T);                                               \
    if (!__builtin_strcmp(text, "NONE"))                                       \
      return;                                                                  \
    if (so == sizeof(R) && a.stride == w && b.stride == w) {                   \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = p[i], y = q[i];                                            \
        (void)x, (void)y;                                                      \
        r[i] = (R)(expr);                                                      \
      }                                                                        \
    } else if (so == sizeof(R) && a.stride == w && b.stride == 0 && n > 0) {   \
      const T y = *q;                                                          \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = p[i];                                                      \
        (void)x, (void)y;                                                      \
        r[i] = (R)(expr);                                                      \
      }                                                                        \
    } else if (so == sizeof(R) && a.stride == 0 && b.stride == w && n > 0) {   \
      const T x = *p;                                                          \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T y = q[i];                                                      \
        (void)x, (void)y;                                                      \
        r[i] = (R)(expr);                                                      \
      }                                                                        \
    } else {                                                                   \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = *(const T *)(a.at + i * a.stride),                         \
                y = *(const T *)(b.at + i * b.stride);                         \
        (void)x, (void)y;                                                      \
        *(R *)(out + i * so) = (R)(expr);                                      \
      }                                                                        \
    }                                                                          \
    mend(op, out, so, a, b, n);                                                \
  }                                                                            \
  static void fn(char *restrict out, int64_t so, struct kernel_line a,         \
                 struct kernel_line b, int64_t n) {                            \
    const int64_t w = sizeof(T);                                               \
    T left[BLOCK], right[BLOCK];                                               \
    for (int64_t i = 0; i < n; i += BLOCK) {                                   \
      const int64_t some = n - i < BLOCK ? n - i : BLOCK;                      \
      const bool is_whole = so == sizeof(R) && some >= LEAST_PACKED;           \
      const bool has_left = is_whole && a.stride != w && a.stride != 0;        \
      const bool has_right = is_whole && b.stride != w && b.stride != 0;       \
      const char *p = a.at + i * a.stride, *q = b.at + i * b.stride;           \
      const struct kernel_line x = {                                           \
          has_left ? PASTE(pack, SUFFIX)(left, p, a.stride, some) : p,         \
          has_left ? w : a.stride};                                            \
      const struct kernel_line y = {                                           \
          has_right ? PASTE(pack, SUFFIX)(right, q, b.stride, some) : q,       \
          has_right ? w : b.stride};                                           \
      PASTE(part, fn)(out + i * so, so, x, y, some);                           \
    }                                                                          \
  }

#endif

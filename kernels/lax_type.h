// SPDX-License-Identifier: Apache-2.0
// The loops of lax.def for one element type, and their table. Included by
// lax.c once per type with T, U, V, SUFFIX, SIGNED and, for floats, F defined;
// not guarded on that account.
#define FN(prefix) PASTE(prefix, SUFFIX)
#define BITS       (8 * sizeof(T))
#ifdef F
#  define COLUMN(i, f) f
#else
#  define COLUMN(i, f) i
#endif

#define LAX1(name, i, f)                                                       \
  static void FN(name)(char *out, int64_t so, const char *a, int64_t sa,       \
                       int64_t n) {                                            \
    for (int64_t k = 0; k < n; k++) {                                          \
      const T x = *(const T *)(a + k * sa);                                    \
      (void)x;                                                                 \
      *(T *)(out + k * so) = (T)(COLUMN(i, f));                                \
    }                                                                          \
  }
#define LAX2(name, i, f)                                                       \
  static void FN(name)(char *out, int64_t so, struct kernel_line a,            \
                       struct kernel_line b, int64_t n) {                      \
    for (int64_t k = 0; k < n; k++) {                                          \
      const T x = *(const T *)(a.at + k * a.stride),                           \
              y = *(const T *)(b.at + k * b.stride);                           \
      (void)x, (void)y;                                                        \
      *(T *)(out + k * so) = (T)(COLUMN(i, f));                                \
    }                                                                          \
  }
#include "kernels/lax.def"
#undef LAX1
#undef LAX2

static const union lax_loop FN(loops)[] = {
#define LAX1(name, i, f) {.unary = FN(name)},
#define LAX2(name, i, f) {.binary = FN(name)},
#include "kernels/lax.def"
#undef LAX1
#undef LAX2
};

#undef FN
#undef BITS
#undef COLUMN
#undef T
#undef U
#undef V
#undef SUFFIX
#undef SIGNED
#undef F

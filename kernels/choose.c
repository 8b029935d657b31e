// SPDX-License-Identifier: Apache-2.0
// One of two elements by a mask, as integers of their size.
#include "kernels/width.h"

#define CHOOSE(T)                                                              \
  static void choose_##T(char *out, char *const *p, const int64_t *s,          \
                         int64_t n) {                                          \
    const int64_t w = sizeof(T);                                               \
    T *restrict r = (T *)out;                                                  \
    if (s[0] == 1 && s[1] == w && s[2] == w) {                                 \
      const uint8_t *c = (const uint8_t *)p[0];                                \
      const T *a = (const T *)p[1], *b = (const T *)p[2];                      \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = a[i], y = b[i];                                            \
        r[i] = c[i] ? x : y;                                                   \
      }                                                                        \
      return;                                                                  \
    }                                                                          \
    if (s[0] == 1 && s[1] == w && s[2] == 0 && n > 0) {                        \
      const uint8_t *c = (const uint8_t *)p[0];                                \
      const T *a = (const T *)p[1], y = *(const T *)p[2];                      \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T x = a[i];                                                      \
        r[i] = c[i] ? x : y;                                                   \
      }                                                                        \
      return;                                                                  \
    }                                                                          \
    if (s[0] == 1 && s[1] == 0 && s[2] == w && n > 0) {                        \
      const uint8_t *c = (const uint8_t *)p[0];                                \
      const T x = *(const T *)p[1], *b = (const T *)p[2];                      \
      for (int64_t i = 0; i < n; i++) {                                        \
        const T y = b[i];                                                      \
        r[i] = c[i] ? x : y;                                                   \
      }                                                                        \
      return;                                                                  \
    }                                                                          \
    for (int64_t i = 0; i < n; i++) {                                          \
      const T x = *(const T *)(p[1] + i * s[1]);                               \
      const T y = *(const T *)(p[2] + i * s[2]);                               \
      r[i] = p[0][i * s[0]] ? x : y;                                           \
    }                                                                          \
  }
CHOOSE(uint8_t)
CHOOSE(uint16_t)
CHOOSE(uint32_t)
CHOOSE(uint64_t)

void WIDTH(choose)(size_t bytes, char *out, char *const *p, const int64_t *s,
                   int64_t n) {
  switch (bytes) {
  case 1: choose_uint8_t(out, p, s, n); break;
  case 2: choose_uint16_t(out, p, s, n); break;
  case 4: choose_uint32_t(out, p, s, n); break;
  default: choose_uint64_t(out, p, s, n);
  }
}

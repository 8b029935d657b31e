// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on f32 and f64.
#include "kernels/elementwise_loop.h"
#include "kernels/far_math.h"
#include "kernels/vector_angle64.h"
#include "kernels/vector_math.h"
#include "kernels/vector_math64.h"
#include "kernels/vector_power64.h"

// NumPy's floor division and remainder: the remainder has the divisor's sign.
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
STAMP_FLOAT(F32, float, f)
STAMP_FLOAT(F64, double, )

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

// ---- What the vectorised loops leave ----

// The sine and cosine of huge arguments, powers of zero and of negative numbers
// and the like: rare, so they are looked for when the loop is done.
#define STAMP_MEND(S, T, suffix)                                               \
  static inline void mend_unary_##S(enum kernel_unary op, char *out,           \
                                    int64_t so, const char *a, int64_t sa,     \
                                    int64_t n) {                               \
    int is_any = 0;                                                            \
    if (op != KERNEL_SIN && op != KERNEL_COS)                                  \
      return;                                                                  \
    if (sa == sizeof(T))                                                       \
      for (int64_t i = 0; i < n; i++)                                          \
        is_any |= vector_is_far##suffix(((const T *)a)[i]);                    \
    if (sa == sizeof(T) && !is_any)                                            \
      return;                                                                  \
    for (int64_t i = 0; i < n; i++) {                                          \
      const T x = *(const T *)(a + i * sa);                                    \
      if (vector_is_far##suffix(x))                                            \
        *(T *)(out + i * so) = (T)far_trig((double)x, op == KERNEL_COS);       \
    }                                                                          \
  }                                                                            \
  static bool has_special##suffix(const T *a, int64_t sa, const T *b,          \
                                  int64_t sb, int64_t n) {                     \
    int is_any = 0;                                                            \
    if (sa == sizeof(T) && sb == sizeof(T))                                    \
      for (int64_t i = 0; i < n; i++)                                          \
        is_any |= vector_pow_is_special##suffix(a[i], b[i]);                   \
    else if (sa == sizeof(T) && sb == 0)                                       \
      for (int64_t i = 0; i < n; i++)                                          \
        is_any |= vector_pow_is_special##suffix(a[i], *b);                     \
    else                                                                       \
      is_any = 1;                                                              \
    return is_any;                                                             \
  }                                                                            \
  static inline void mend_binary_##S(enum kernel_binary op, char *out,         \
                                     int64_t so, struct kernel_line a,         \
                                     struct kernel_line b, int64_t n) {        \
    if (op != KERNEL_POWER && op != KERNEL_FLOAT_POWER)                        \
      return;                                                                  \
    if (!has_special##suffix((const T *)a.at, a.stride, (const T *)b.at,       \
                             b.stride, n))                                     \
      return;                                                                  \
    for (int64_t i = 0; i < n; i++) {                                          \
      const T x = *(const T *)(a.at + i * a.stride),                           \
              y = *(const T *)(b.at + i * b.stride);                           \
      if (vector_pow_is_special##suffix(x, y))                                 \
        *(T *)(out + i * so) = special_pow##suffix(x, y);                      \
    }                                                                          \
  }                                                                            \
  static inline T sinc##suffix(T x) {                                          \
    T y = (T)M_PI * x;                                                         \
    T s = vector_is_far##suffix(y) ? (T)far_trig((double)y, 0)                 \
                                   : vector_sin##suffix(y);                    \
    return x == 0 ? 1 : s / y;                                                 \
  }
STAMP_MEND(F32, float, f)
STAMP_MEND(F64, double, )

static inline double vector_expit(double x) {
  double e = vector_exp(-fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

// These vectorise, and are the same on every machine; C's library is called for
// each element of the others.
#define expf   vector_expf
#define logf   vector_logf
#define sinf   vector_sinf
#define cosf   vector_cosf
#define tanhf  vector_tanhf
#define powf   vector_powf
#define hypotf vector_hypotf
#define expitf vector_expitf
#define exp    vector_exp
#define log    vector_log
#define sin    vector_sin
#define cos    vector_cos
#define tanh   vector_tanh
#define pow    vector_pow
#define hypot  vector_hypot
#define expit  vector_expit

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

const struct float_loops WIDTH(float_loops) = {{unary_F32, unary_F64},
                                               {binary_F32, binary_F64}};

// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on f32 and f64. The build compiles this file once more
// for wider vectors on x86-64 (FLOAT_LOOPS names the table then); every result
// has the same bits there.
#include "kernels/elementwise_loop.h"
#include "kernels/vector_math.h"

#ifndef FLOAT_LOOPS
#  define FLOAT_LOOPS float_loops
#endif

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

static inline double expit(double x) {
  double e = exp(-fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

#define T      float
#define U      float
#define SUFFIX F32
#define IS_FLOAT
#define HAS_SIGN 1
#define F(name)  name##f
// These vectorise; C's library is called for each element.
#define expf   vector_expf
#define logf   vector_logf
#define tanhf  vector_tanhf
#define expitf vector_expitf
#include "kernels/elementwise_type.h"
#undef expf
#undef logf
#undef tanhf
#undef expitf
#define T      double
#define U      double
#define SUFFIX F64
#define IS_FLOAT
#define HAS_SIGN 1
#define F(name)  name
#include "kernels/elementwise_type.h"

const struct float_loops FLOAT_LOOPS = {{unary_F32, unary_F64},
                                        {binary_F32, binary_F64}};

// SPDX-License-Identifier: Apache-2.0
// The float loops: how far exp and its kin are from the C library's values in
// a wider type, and that every vector width gives the same bits.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/elementwise_loop.h"
#include "kernels/far_math.h"
#include "kernels/kernels.h"
#include "kernels/vector_angle64.h"
#include "kernels/vector_math.h"
#include "kernels/vector_math64.h"
#include "kernels/vector_power64.h"

// Distance in units of the last place of the float nearest to `want`.
static double distance(float got, double want) {
  float nearest = (float)want;
  if (isnan(want) || isinf(nearest) || isinf(got))
    return isnan(want) ? (isnan(got) ? 0 : INFINITY)
                       : (got == nearest ? 0 : INFINITY);
  int e = nearest == 0 ? -149 : ilogb(nearest) - 23;
  return fabs(got - want) / ldexp(1, e < -149 ? -149 : e);
}

static double distance64(double got, long double want) {
  double nearest = (double)want;
  if (isnan(want) || isinf(nearest) || isinf(got))
    return isnan(want) ? (isnan(got) ? 0 : INFINITY)
                       : (got == nearest ? 0 : INFINITY);
  int e = nearest == 0 ? -1074 : ilogb(nearest) - 52;
  long double unit = ldexpl(1, e < -1074 ? -1074 : e);
  return (double)(fabsl(got - want) / unit);
}

static float sinf_of(float x) {
  return vector_is_farf(x) ? (float)far_trig(x, 0) : vector_sinf(x);
}
static float cosf_of(float x) {
  return vector_is_farf(x) ? (float)far_trig(x, 1) : vector_cosf(x);
}
static double sin_of(double x) {
  return vector_is_far(x) ? far_trig(x, 0) : vector_sin(x);
}
static double cos_of(double x) {
  return vector_is_far(x) ? far_trig(x, 1) : vector_cos(x);
}

static double expit_of(double x) {
  return 1 / (1 + exp(-x));
}

static void test_accuracy(void **state) {
  (void)state;
  static const struct {
    const char *name;
    float (*f)(float);
    double (*exact)(double);
    double most;
  } rows[] = {
      {"exp", vector_expf, exp, 1.0},
      {"log", vector_logf, log, 1.0},
      {"tanh", vector_tanhf, tanh, 1.0},
      {"sin", sinf_of, sin, 0.51},
      {"cos", cosf_of, cos, 0.51},
      {"expit", vector_expitf, expit_of, 2.5},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    for (uint64_t i = 0; i < (uint64_t)1 << 32; i += 1021) {
      float x = vector_of_bits((uint32_t)i);
      double d = distance(rows[k].f(x), rows[k].exact(x));
      if (!(d <= rows[k].most))
        fail_msg("%s(%a) is %a, %g units off", rows[k].name, x, rows[k].f(x),
                 d);
    }
}

static uint64_t next(uint64_t *r) {
  *r = *r * 6364136223846793005u + 1442695040888963407u;
  return *r ^ *r >> 31;
}

// Of every exponent, near 1, and of the size that learners have.
static double number(uint64_t *r, int i) {
  uint64_t bits = next(r);
  double one = vector_of_bits64((bits >> 12) | (uint64_t)1023 << 52);
  double sign = bits & 1 ? -1 : 1;
  switch (i % 4) {
  case 0: return vector_of_bits64(bits);
  case 1: return sign * one;
  case 2: return sign * ldexp(one, (int)(next(r) % 40) - 20);
  default: return sign * (one - 1) * 750;
  }
}

// Beside the wider long double of this machine: 64 or 113 bits.
static void test_accuracy64(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*f)(double);
    long double (*exact)(long double);
    double most;
  } rows[] = {
      {"exp", vector_exp, expl, 0.8},    {"log", vector_log, logl, 1.0},
      {"tanh", vector_tanh, tanhl, 1.0}, {"sin", sin_of, sinl, 0.9},
      {"cos", cos_of, cosl, 0.9},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    uint64_t r = 1;
    for (int i = 0; i < 400000; i++) {
      double x = number(&r, i);
      double d = distance64(rows[k].f(x), rows[k].exact(x));
      if (!(d <= rows[k].most))
        fail_msg("%s(%a) is %a, %g units off", rows[k].name, x, rows[k].f(x),
                 d);
    }
  }
}

// The doubles that come nearest to multiples of pi/2: just below and at them,
// and the worst of all (Muller, "Elementary Functions", section 11.2).
static void test_near_quarters(void **state) {
  (void)state;
  for (int n = 1; n < 700000; n += n < 1000 ? 1 : 97)
    for (int step = -1; step <= 1; step++) {
      double x = (double)(n * 1.57079632679489661923132169163975144L);
      x = step ? nextafter(x, step * (double)INFINITY) : x;
      assert_true(distance64(sin_of(x), sinl(x)) <= 0.9);
      assert_true(distance64(cos_of(x), cosl(x)) <= 0.9);
    }
  double worst = ldexp(6381956970095103.0, 797);
  assert_true(distance64(cos_of(worst), -4.6871659242546276e-19L) <= 1);
  assert_true(distance64(cos_of(-worst), cosl(worst)) <= 0.9);
  assert_true(distance64(sin_of(-worst), -sinl(worst)) <= 0.9);
}

static void check_power(double x, double y) {
  double got =
      vector_pow_is_special(x, y) ? special_pow(x, y) : vector_pow(x, y);
  double d = distance64(got, powl(x, y));
  if (!(d <= 1))
    fail_msg("pow(%a, %a) is %a, %g units off", x, y, got, d);
  float f = (float)x, g = (float)y;
  float power =
      vector_pow_is_specialf(f, g) ? special_powf(f, g) : vector_powf(f, g);
  d = distance(power, pow(f, g));
  if (!(d <= 0.51))
    fail_msg("powf(%a, %a) is %a, %g units off", f, g, power, d);
  if (power == 0 && !isnan(power))
    assert_int_equal(!signbit(power), !signbit(powf(f, g)));
}

// Of every size, and where the squares leave the range.
static void test_hypot(void **state) {
  (void)state;
  static const double ends[] = {0,      -0.0,     1,        -3,        4,
                                1e300,  5e-324,   1e-310,   -1.5e308,  0x1p500,
                                1e-160, 0x1p-500, INFINITY, -INFINITY, NAN};
  enum { N = sizeof ends / sizeof *ends };
  uint64_t r = 1;
  for (int i = 0; i < 400000; i++) {
    double x = i < N * N ? ends[i / N] : number(&r, i);
    double y = i < N * N ? ends[i % N] : i & 8 ? number(&r, i / 4) : x * 0.7;
    double d = distance64(vector_hypot(x, y), hypotl(x, y));
    if (!(d <= 1.25))
      fail_msg("hypot(%a, %a) is %g units off", x, y, d);
    float f = (float)x, g = (float)y;
    d = distance(vector_hypotf(f, g), hypot(f, g));
    if (!(d <= 0.51))
      fail_msg("hypotf(%a, %a) is %g units off", f, g, d);
  }
}

// The first of the largest, wherever it stands, and the first NaN before it.
static void test_positions(void **state) {
  (void)state;
  enum { N = 2000 };
  static double a[N];
  kernel_reduce_loop largest = kernel_reduce(KERNEL_ARGMAX, DTYPE_F64);
  for (int i = 0; i < N; i++) {
    int64_t at;
    memset(a, 0, sizeof a);
    a[i] = a[N - 1] = 1;
    largest((char *)&at, (char *)a, sizeof *a, N);
    assert_int_equal(at, i);
    a[i / 2 + 1] = a[N - 1] = NAN;
    largest((char *)&at, (char *)a, sizeof *a, N);
    assert_int_equal(at, i / 2 + 1);
  }
}

static void test_power(void **state) {
  (void)state;
  static const double ends[] = {0,
                                -0.0,
                                1,
                                -1,
                                0.5,
                                -0.5,
                                2,
                                -2,
                                3,
                                -3,
                                0x1p53,
                                0x1p54,
                                0x1p63,
                                0x1p64,
                                1e-5,
                                5e-324,
                                1e300,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                2.5,
                                -2.5,
                                10,
                                -1e300,
                                0x1.fffffffffffffp-1,
                                0x1.0000000000001p0,
                                0x1.fffffffffffffp1023,
                                9007199254740991.0,
                                -9007199254740991.0,
                                16777215,
                                0x1p24};
  enum { N = sizeof ends / sizeof *ends };
  for (int i = 0; i < N * N; i++)
    check_power(ends[i / N], ends[i % N]);
  uint64_t r = 1;
  for (int i = 0; i < 400000; i++) {
    double x = number(&r, i), y = number(&r, i / 4);
    if (i % 2) // a power that is neither 0 nor infinite
      y = number(&r, 3) / (log2(fabs(x)) + 0x1p-60);
    check_power(x, i % 3 ? y : rint(y));
  }
}

// Numbers of every size, special ones first.
static void fill(void *p, size_t bytes, int n) {
  static const double first[] = {
      0,        -0.0,      1,   -1,    0.5,   2,      1e-40, 88,   -104,
      INFINITY, -INFINITY, NAN, 1e300, -1e37, 5e-324, 710,   -746, 3e6};
  uint64_t r = 1;
  for (int i = 0; i < n; i++) {
    r = r * 6364136223846793005u + 1442695040888963407u;
    double v = ldexp((double)(r >> 11), (int)(r % 120) - 110);
    v = r >> 20 & 1 ? -v : v;
    if (i < (int)(sizeof first / sizeof *first))
      v = first[i];
    if (bytes == 8)
      ((double *)p)[i] = v;
    else
      ((float *)p)[i] = (float)v;
  }
}

// NaN may have any bits.
static bool is_same(const char *a, const char *b, size_t bytes, bool is_truth,
                    int n) {
  for (int i = 0; i < n; i++) {
    size_t w = is_truth ? 1 : bytes;
    double x = 0, y = 0;
    if (!is_truth) {
      x = bytes == 8 ? ((const double *)a)[i] : (double)((const float *)a)[i];
      y = bytes == 8 ? ((const double *)b)[i] : (double)((const float *)b)[i];
    }
    if (memcmp(a + (size_t)i * w, b + (size_t)i * w, w) &&
        !(isnan(x) && isnan(y)))
      return false;
  }
  return true;
}

enum { COUNT = 4099 };
static double x[COUNT], y[COUNT], one[COUNT], other[COUNT];

static void compare_floats(const struct float_loops *plain,
                           const struct float_loops *wide) {
  for (int d = 0; d < 2; d++) {
    int64_t w = d ? 8 : 4;
    fill(x, (size_t)w, COUNT);
    fill(y, (size_t)w, COUNT);
    memmove(y, (char *)y + 7 * w, (size_t)(COUNT - 7) * (size_t)w);
    for (int op = 0; op < KERNEL_UNARY_COUNT; op++) {
      int64_t o = kernel_unary_kind((enum kernel_unary)op) == 'p' ? 1 : w;
      plain->unary[d][op]((char *)one, o, (char *)x, w, COUNT);
      wide->unary[d][op]((char *)other, o, (char *)x, w, COUNT);
      if (!is_same((char *)one, (char *)other, (size_t)w, o == 1, COUNT))
        fail_msg("%s differs", kernel_unary_name((enum kernel_unary)op));
    }
    for (int op = 0; op < KERNEL_BINARY_COUNT; op++) {
      int64_t o = kernel_binary_kind((enum kernel_binary)op) == 'p' ? 1 : w;
      plain->binary[d][op]((char *)one, o, kernel_line(x, w), kernel_line(y, w),
                           COUNT);
      wide->binary[d][op]((char *)other, o, kernel_line(x, w),
                          kernel_line(y, w), COUNT);
      if (!is_same((char *)one, (char *)other, (size_t)w, o == 1, COUNT))
        fail_msg("%s differs", kernel_binary_name((enum kernel_binary)op));
    }
  }
}

static void random_bytes(void *p, size_t n) {
  uint64_t r = 1;
  for (size_t i = 0; i < n; i++) {
    r = r * 6364136223846793005u + 1442695040888963407u;
    ((unsigned char *)p)[i] = (unsigned char)(r >> 56);
  }
}

static void compare_integers(const struct integer_loops *plain,
                             const struct integer_loops *wide) {
  random_bytes(x, sizeof x);
  random_bytes(y, sizeof y);
  for (int t = 0; t < DTYPE_COUNT; t++) {
    int64_t w = (int64_t)dtype_bytes((enum dtype)t);
    for (int op = 0; plain->unary[t] && op < KERNEL_UNARY_COUNT; op++) {
      memset(one, 0, sizeof one), memset(other, 0, sizeof other);
      plain->unary[t][op]((char *)one, w, (char *)x, w, COUNT);
      wide->unary[t][op]((char *)other, w, (char *)x, w, COUNT);
      assert_memory_equal(one, other, sizeof one);
    }
    for (int op = 0; plain->binary[t] && op < KERNEL_BINARY_COUNT; op++) {
      memset(one, 0, sizeof one), memset(other, 0, sizeof other);
      plain->binary[t][op]((char *)one, w, kernel_line(x, w), kernel_line(y, w),
                           COUNT);
      wide->binary[t][op]((char *)other, w, kernel_line(x, w),
                          kernel_line(y, w), COUNT);
      assert_memory_equal(one, other, sizeof one);
    }
  }
}

// Random bits are of no use as floats; these have every size and NaN.
static void fill_type(void *p, enum dtype t) {
  random_bytes(p, COUNT * sizeof(double));
  if (t == DTYPE_F32 || t == DTYPE_F64)
    fill(p, dtype_bytes(t), COUNT);
}

static void compare_casts(const struct kernel_set *plain,
                          const struct kernel_set *wide) {
  for (int from = 0; from < DTYPE_COUNT; from++)
    for (int to = 0; to < DTYPE_COUNT; to++) {
      int64_t w = (int64_t)dtype_bytes((enum dtype)from);
      int64_t o = (int64_t)dtype_bytes((enum dtype)to);
      fill_type(x, (enum dtype)from);
      memset(one, 0, sizeof one), memset(other, 0, sizeof other);
      plain->cast((enum dtype)to, (enum dtype)from)((char *)one, o, (char *)x,
                                                    w, COUNT);
      wide->cast((enum dtype)to, (enum dtype)from)((char *)other, o, (char *)x,
                                                   w, COUNT);
      if (to == DTYPE_F32 || to == DTYPE_F64)
        assert_true(
            is_same((char *)one, (char *)other, (size_t)o, false, COUNT));
      else
        assert_memory_equal(one, other, sizeof one);
    }
}

// Of one line, of its parts as columns, and running ones.
static void compare_reductions(const struct kernel_set *plain,
                               const struct kernel_set *wide, enum dtype t) {
  enum { COLUMNS = 61 };
  int64_t w = (int64_t)dtype_bytes(t);
  size_t bytes = dtype_kind(t) == 'f' ? dtype_bytes(t) : 8;
  fill_type(x, t);
  for (int k = 0; k < KERNEL_REDUCE_COUNT; k++) {
    enum kernel_reduce op = (enum kernel_reduce)k;
    bool is_float = dtype_kind(t) == 'f' && k <= KERNEL_MAX;
    if (!plain->reduce(op, t))
      continue;
    memset(one, 0, sizeof one), memset(other, 0, sizeof other);
    plain->reduce(op, t)((char *)one, (char *)x, w, COUNT);
    wide->reduce(op, t)((char *)other, (char *)x, w, COUNT);
    plain->columns(op, t)((char *)(one + 1), (char *)x, COLUMNS * w,
                          COUNT / COLUMNS, COLUMNS);
    wide->columns(op, t)((char *)(other + 1), (char *)x, COLUMNS * w,
                         COUNT / COLUMNS, COLUMNS);
    if (is_float)
      assert_true(
          is_same((char *)one, (char *)other, bytes, false, COLUMNS + 1));
    else
      assert_memory_equal(one, other, sizeof one);
  }
}

// ---- Sums of products ----

// What inner.c says of its order, in the plainest way.
#define PLAIN_INNER(T)                                                         \
  static T inner_##T(const T *a, const T *b, int64_t n) {                      \
    int64_t half = n / 2 - n / 2 % 8;                                          \
    if (n > 512)                                                               \
      return (T)(inner_##T(a, b, half) +                                       \
                 inner_##T(a + half, b + half, n - half));                     \
    T s[8] = {0};                                                              \
    for (int64_t i = 0; i < n; i++)                                            \
      s[i % 8] += a[i] * b[i];                                                 \
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));  \
  }
PLAIN_INNER(float)
PLAIN_INNER(double)
PLAIN_INNER(uint32_t)
PLAIN_INNER(uint64_t)

// Fractions, so that another order of additions gives other bits.
static void fill_fractions(void *p, enum dtype t, int n) {
  uint64_t r = (uint64_t)t + 1;
  for (int i = 0; i < n; i++) {
    uint64_t v = next(&r);
    double f = ldexp((double)(v >> 12), -52) - 0.5;
    if (t == DTYPE_F64)
      ((double *)p)[i] = f;
    else if (t == DTYPE_F32)
      ((float *)p)[i] = (float)f;
    else
      memcpy((char *)p + (size_t)i * dtype_bytes(t), &v, dtype_bytes(t));
  }
}

static void check_inner(const struct kernel_set *set, enum dtype t, int n) {
  uint64_t want = 0, got = 0;
  int64_t w = (int64_t)dtype_bytes(t);
  float f = inner_float((float *)x, (float *)y, n);
  double d = inner_double((double *)x, (double *)y, n);
  uint32_t i = inner_uint32_t((uint32_t *)x, (uint32_t *)y, n);
  uint64_t l = inner_uint64_t((uint64_t *)x, (uint64_t *)y, n);
  memcpy(&want,
         t == DTYPE_F32   ? (void *)&f
         : t == DTYPE_F64 ? (void *)&d
         : w == 4         ? (void *)&i
                          : (void *)&l,
         (size_t)w);
  set->inner(t)((char *)&got, (char *)x, w, (char *)y, w, n);
  assert_int_equal(got, want);
  for (int64_t k = 0; 2 * k + 1 < COUNT && k < n; k++)
    memcpy((char *)one + 2 * k * w, (char *)x + k * w, (size_t)w);
  if (2 * n > COUNT)
    return;
  set->inner(t)((char *)&got, (char *)one, 2 * w, (char *)y, w, n);
  assert_int_equal(got, want);
}

// One line's sum has its bits in each width, of any length and stride: four
// stretches are added at once where the length allows it.
static void test_inner(void **state) {
  (void)state;
  static const enum dtype types[] = {DTYPE_F32, DTYPE_F64, DTYPE_I32,
                                     DTYPE_U64};
  for (int k = 0; k < 4; k++) {
    fill_fractions(x, types[k], COUNT);
    fill_fractions(y, types[k], COUNT);
    memmove(y, y + 1, (COUNT - 1) * sizeof *y);
    for (int width = 0; width < KERNEL_SETS; width++)
      for (int n = 0; kernel_set_at(width) && n <= COUNT; n += n < 40 ? 1 : 13)
        check_inner(kernel_set_at(width), types[k], n);
  }
}

static void check_complex(enum dtype t, int width) {
  static char out[2][COUNT * sizeof(double)];
  char *p[6] = {out[0],    out[1],    (char *)x,
                (char *)y, (char *)y, (char *)x + 3 * sizeof(double)};
  enum { N = COUNT - 3 };
  kernel_set_at(width)->complex_multiply(t, p, N);
  for (int i = 0; i < N; i++)
    if (t == DTYPE_F64) {
      double a = x[i], b = y[i], c = y[i], d = x[i + 3];
      double re = a * c - b * d, im = a * d + b * c;
      assert_true(is_same((char *)&re, out[0] + i * 8, 8, false, 1));
      assert_true(is_same((char *)&im, out[1] + i * 8, 8, false, 1));
    } else {
      float a = ((float *)x)[i], b = ((float *)y)[i];
      float c = ((float *)y)[i], d = ((float *)x)[i + 6];
      float re = a * c - b * d, im = a * d + b * c;
      assert_true(is_same((char *)&re, out[0] + i * 4, 4, false, 1));
      assert_true(is_same((char *)&im, out[1] + i * 4, 4, false, 1));
    }
}

// Each product is rounded, and so is their sum: nothing is fused.
static void test_complex(void **state) {
  (void)state;
  for (int d = 0; d < 2; d++) {
    enum dtype t = d ? DTYPE_F64 : DTYPE_F32;
    fill(x, dtype_bytes(t), COUNT);
    fill_fractions(y, t, COUNT);
    for (int width = 0; width < KERNEL_SETS; width++)
      if (kernel_set_at(width))
        check_complex(t, width);
  }
}

static void test_widths_agree(void **state) {
  (void)state;
  const struct kernel_set *plain = kernel_set_at(0);
  assert_non_null(plain);
  for (int width = 1; width < KERNEL_SETS; width++) {
    const struct kernel_set *wide = kernel_set_at(width);
    if (!wide)
      continue;
    compare_floats(plain->floats, wide->floats);
    compare_integers(plain->integers, wide->integers);
    compare_casts(plain, wide);
    for (int t = 0; t < DTYPE_COUNT; t++)
      compare_reductions(plain, wide, (enum dtype)t);
  }
}

// The order of the elements and where they lie makes no difference: a loop has
// parts for full vectors, for the rest and for strides.
static void test_places_agree(void **state) {
  (void)state;
  enum { N = 997 };
  static double in[2 * N], out[2 * N], single;
  for (int d = 0; d < 2; d++) {
    int64_t w = d ? 8 : 4;
    fill(in, (size_t)w, N);
    for (int op = 0; op < KERNEL_UNARY_COUNT; op++) {
      kernel_unary_loop loop =
          kernel_unary((enum kernel_unary)op, d ? DTYPE_F64 : DTYPE_F32);
      int64_t o = kernel_unary_kind((enum kernel_unary)op) == 'p' ? 1 : w;
      if (!loop)
        continue;
      loop((char *)out, o, (char *)in, w, N);
      for (int i = 0; i < N; i++) {
        loop((char *)&single, 2 * o, (char *)in + i * w, 2 * w, 1);
        assert_true(is_same((char *)out + i * o, (char *)&single, (size_t)w,
                            o == 1, 1));
      }
    }
  }
}

// Arguments with gaps are brought together, in blocks, before the loop: as the
// same ones that lie together, up to and over a block's end.
static void check_gaps(enum dtype t, int64_t by, int n) {
  int64_t w = (int64_t)dtype_bytes(t);
  static char gaps[2][COUNT * 3 * sizeof(double)];
  char *at[2];
  for (int k = 0; k < 2; k++) {
    at[k] = gaps[k] + (by < 0 ? (n - 1) * -by * w : 0);
    for (int64_t i = 0; i < n; i++)
      memcpy(at[k] + i * by * w, (char *)(k ? y : x) + i * w, (size_t)w);
  }
  for (int op = 0; op < KERNEL_BINARY_COUNT; op++) {
    kernel_binary_loop loop = kernel_binary((enum kernel_binary)op, t);
    int64_t o = kernel_binary_kind((enum kernel_binary)op) == 'p' ? 1 : w;
    bool is_slow = op == KERNEL_POWER && dtype_kind(t) != 'f';
    if (!loop || is_slow)
      continue;
    loop((char *)one, o, kernel_line(x, w), kernel_line(y, w), n);
    loop((char *)other, o, kernel_line(at[0], by * w), kernel_line(y, w), n);
    assert_true(is_same((char *)one, (char *)other, (size_t)w, o == 1, n));
    loop((char *)other, o, kernel_line(x, w), kernel_line(at[1], by * w), n);
    assert_true(is_same((char *)one, (char *)other, (size_t)w, o == 1, n));
    loop((char *)other, o, kernel_line(at[0], by * w),
         kernel_line(at[1], by * w), n);
    assert_true(is_same((char *)one, (char *)other, (size_t)w, o == 1, n));
  }
  for (int op = 0; op < KERNEL_UNARY_COUNT; op++) {
    kernel_unary_loop loop = kernel_unary((enum kernel_unary)op, t);
    int64_t o = kernel_unary_kind((enum kernel_unary)op) == 'p' ? 1 : w;
    if (!loop)
      continue;
    loop((char *)one, o, (char *)x, w, n);
    loop((char *)other, o, at[0], by * w, n);
    assert_true(is_same((char *)one, (char *)other, (size_t)w, o == 1, n));
  }
}

static void test_gaps_agree(void **state) {
  (void)state;
  static const int counts[] = {15, 16, 2047, COUNT};
  static const int64_t steps[] = {2, 3, -1};
  for (int d = 0; d < 2; d++) {
    fill(x, d ? 8 : 4, COUNT);
    fill(y, d ? 8 : 4, COUNT);
    memmove(y, y + 7, (COUNT - 7) * sizeof *y);
    for (int n = 0; n < 4; n++)
      for (int k = 0; k < 3; k++)
        check_gaps(d ? DTYPE_F64 : DTYPE_F32, steps[k], counts[n]);
  }
}

// ---- Blocks of other loops ----

// Where a whole block fits an integer nothing is chosen; one element that does
// not, anywhere, is still its nearest value.
static void test_casts_in_blocks(void **state) {
  (void)state;
  static const double odd[] = {
      NAN,       -INFINITY, INFINITY, 1e300,        -1e300, 0x1p31, 0x1p63,
      -0x1.8p63, 0x1p64,    0x1p8,    -0x1p7 - 0.5, -0.5,   255.5,  -1};
  for (int from = DTYPE_F32; from <= DTYPE_F64; from++)
    for (int to = DTYPE_I8; to <= DTYPE_U64; to++)
      for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        int64_t w = (int64_t)dtype_bytes((enum dtype)from);
        int64_t o = (int64_t)dtype_bytes((enum dtype)to);
        kernel_cast_loop cast = kernel_cast((enum dtype)to, (enum dtype)from);
        for (int i = 0; i < COUNT; i++) {
          double v = i == (int)(k * 311) ? odd[k] : i % 100 + 0.75;
          if (from == DTYPE_F64)
            x[i] = v;
          else
            ((float *)x)[i] = (float)v;
        }
        cast((char *)one, o, (char *)x, w, COUNT);
        for (int i = 0; i < COUNT; i++) {
          uint64_t single[2] = {0}; // of another stride, so chosen
          cast((char *)single, o + 1, (char *)x + i * w, w, 1);
          assert_memory_equal((char *)one + i * o, single, (size_t)o);
        }
      }
}

// Sums of truths, extremes and their kin, of lines of every length up to a few
// rows of lanes, and one over what a byte counts.
static void test_short_lines(void **state) {
  (void)state;
  static uint8_t truths[300 * 256];
  uint64_t r = 3, sum, count = 0;
  kernel_reduce_loop add = kernel_reduce(KERNEL_SUM, DTYPE_BOOL);
  for (int i = 0; i < (int)sizeof truths; i++) {
    add((char *)&sum, (char *)truths, 1, i);
    assert_true(i > 2000 || sum == count);
    truths[i] = i > 2000 || next(&r) % 3 == 0;
    count += truths[i];
  }
  add((char *)&sum, (char *)truths, 1, sizeof truths);
  assert_int_equal(sum, count);
  add((char *)&sum, (char *)truths + 2048, 1, sizeof truths - 2048);
  assert_int_equal(sum, sizeof truths - 2048); // all are true
  fill_fractions(x, DTYPE_F64, COUNT);
  for (int n = 1; n < 300; n++)
    for (int at = 0; at < n; at++) {
      double largest, before = x[at];
      uint8_t is_any;
      x[at] = 2;
      kernel_reduce(KERNEL_MAX, DTYPE_F64)((char *)&largest, (char *)x, 8, n);
      assert_true(largest == 2);
      x[at] = NAN;
      kernel_reduce(KERNEL_MIN, DTYPE_F64)((char *)&largest, (char *)x, 8, n);
      assert_true(isnan(largest));
      x[at] = before;
      memset(other, 0, sizeof other);
      ((uint8_t *)other)[at] = 1;
      kernel_reduce(KERNEL_ANY, DTYPE_BOOL)((char *)&is_any, (char *)other, 1,
                                            n);
      assert_int_equal(is_any, 1);
    }
}

static void test_ranges(void **state) {
  (void)state;
  const int64_t from = ((int64_t)1 << 33) + 5;
  for (int width = 0; width < KERNEL_SETS; width++) {
    const struct kernel_set *set = kernel_set_at(width);
    int64_t *whole = (int64_t *)other;
    if (!set)
      continue;
    set->range_floats(one, 0.1, 1.0 / 3, from, COUNT);
    set->range_integers(whole, INT64_MAX - 9, -3, from, COUNT);
    for (int i = 0; i < COUNT; i++) {
      assert_true(one[i] == 0.1 + (double)(from + i) * (1.0 / 3));
      assert_int_equal(whole[i], (int64_t)((uint64_t)INT64_MAX - 9 -
                                           3 * (uint64_t)(from + i)));
    }
  }
}

static void test_searches(void **state) {
  (void)state;
  static uint64_t sorted[70], keys[200];
  static int64_t at[200];
  for (int n = 0; n < 70; n++)
    for (int after = 0; after < 2; after++) {
      for (int i = 0; i < n; i++)
        sorted[i] = i + 3 > n ? UINT64_MAX : (uint64_t)(i / 3 * 2);
      for (int i = 0; i < 200; i++)
        keys[i] = i % 50 == 49 ? UINT64_MAX : (uint64_t)(i % 50);
      order_search_all(sorted, n, keys, 199, after, at);
      for (int i = 0; i < 199; i++)
        assert_int_equal(at[i], order_search(sorted, n, keys[i], after));
    }
}

// Recorded once: every processor and C library gives these very bits.
static uint64_t digest(const void *p, size_t bytes) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < bytes; i++)
    h = (h ^ ((const unsigned char *)p)[i]) * 1099511628211u;
  return h;
}

static void test_recorded_bits(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int unary, binary;
    uint64_t f32, f64;
  } rows[] = {
      {"exp", KERNEL_EXP, -1, 0xc6b29ad1f35d99f2, 0xa4ea6799756f5e52},
      {"log", KERNEL_LOG, -1, 0x9587ad5a36ccc69f, 0x997ac3cbbecbefd9},
      {"sin", KERNEL_SIN, -1, 0xedfd50d0ff3be77e, 0x17a99bb2e7c02728},
      {"cos", KERNEL_COS, -1, 0x258f2e62a32b8458, 0x1260f1fac969456},
      {"tanh", KERNEL_TANH, -1, 0xc570734619d00335, 0xb8b9b5139235fca1},
      {"pow", -1, KERNEL_POWER, 0xecd7db420a4a95f2, 0x5059b82a8020a2e},
  };
  enum { N = 4096 };
  static double a[N], b[N], out[N];
  int others = 0;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    for (int d = 0; d < 2; d++) {
      enum dtype t = d ? DTYPE_F64 : DTYPE_F32;
      int64_t w = d ? 8 : 4;
      uint64_t r = 1;
      for (int i = 0; i < N; i++) {
        double v = fabs(number(&r, 4 * i + 2)), e = number(&r, 4 * i + 2);
        if (d)
          a[i] = v, b[i] = e / 1e4;
        else
          ((float *)a)[i] = (float)v, ((float *)b)[i] = (float)(e / 1e4);
      }
      if (rows[k].binary < 0)
        kernel_unary((enum kernel_unary)rows[k].unary, t)((char *)out, w,
                                                          (char *)a, w, N);
      else
        kernel_binary((enum kernel_binary)rows[k].binary, t)(
            (char *)out, w, kernel_line(a, w), kernel_line(b, w), N);
      uint64_t got = digest(out, N * (size_t)w);
      if (got != (d ? rows[k].f64 : rows[k].f32))
        print_error("%s of f%d: the bits' digest is 0x%llx\n", rows[k].name,
                    d ? 64 : 32, (unsigned long long)got);
      others += got != (d ? rows[k].f64 : rows[k].f32);
    }
  assert_int_equal(others, 0);
}

// 16-bit floats: every number there and back, and between two neighbours.
static void test_small_floats(void **state) {
  (void)state;
  static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16};
  for (int k = 0; k < 2; k++) {
    kernel_cast_loop to_float = kernel_cast(DTYPE_F32, types[k]);
    kernel_cast_loop from_float = kernel_cast(types[k], DTYPE_F32);
    kernel_cast_loop from_double = kernel_cast(types[k], DTYPE_F64);
    for (uint32_t h = 0; h < 65536; h++) {
      uint16_t in = (uint16_t)h, back;
      float f, wanted;
      to_float((char *)&f, 0, (char *)&in, 0, 1);
      wanted = k ? dtype_bf16_to_float(in) : dtype_f16_to_float(in);
      from_float((char *)&back, 0, (char *)&f, 0, 1);
      assert_true(isnan(f) ? isnan(wanted) : f == wanted && back == in);
    }
    for (uint64_t i = 0; i < (uint64_t)1 << 32; i += 4099) {
      float f = vector_of_bits((uint32_t)i);
      double v = f;
      uint16_t a, b;
      from_float((char *)&a, 0, (char *)&f, 0, 1);
      from_double((char *)&b, 0, (char *)&v, 0, 1);
      if (!isnan(f))
        assert_int_equal(a, b);
      else
        assert_int_equal(a & 0x7fff, b & 0x7fff);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_accuracy64),
      cmocka_unit_test(test_hypot),
      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_near_quarters),
      cmocka_unit_test(test_power),
      cmocka_unit_test(test_inner),
      cmocka_unit_test(test_complex),
      cmocka_unit_test(test_widths_agree),
      cmocka_unit_test(test_places_agree),
      cmocka_unit_test(test_gaps_agree),
      cmocka_unit_test(test_casts_in_blocks),
      cmocka_unit_test(test_short_lines),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_searches),
      cmocka_unit_test(test_recorded_bits),
      cmocka_unit_test(test_small_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

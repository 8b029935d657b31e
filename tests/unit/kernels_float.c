// SPDX-License-Identifier: Apache-2.0
// The float loops: how far exp and its kin are from the C library's values in
// double, and that every vector width gives the same bits.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/elementwise_loop.h"
#include "kernels/vector_math.h"

// Distance in units of the last place of the float nearest to `want`.
static double distance(float got, double want) {
  float nearest = (float)want;
  if (isnan(want) || isinf(nearest) || isinf(got))
    return isnan(want) ? (isnan(got) ? 0 : INFINITY)
                       : (got == nearest ? 0 : INFINITY);
  int e = nearest == 0 ? -149 : ilogb(nearest) - 23;
  return fabs(got - want) / ldexp(1, e < -149 ? -149 : e);
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
      {"exp", vector_expf, exp, 1.1},
      {"log", vector_logf, log, 1.0},
      {"tanh", vector_tanhf, tanh, 1.5},
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

// Numbers of every size, special ones first.
static void fill(void *p, size_t bytes, int n) {
  static const double first[] = {0,     -0.0, 1,    -1,       0.5,       2,
                                 1e-40, 88,   -104, INFINITY, -INFINITY, NAN};
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

static void test_widths_agree(void **state) {
  (void)state;
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
    skip();
  enum { N = 1003 };
  static double x[N], y[N], one[N], other[N];
  for (int d = 0; d < 2; d++) {
    int64_t w = d ? 8 : 4;
    fill(x, (size_t)w, N);
    fill(y, (size_t)w, N);
    memmove(y, (char *)y + 7 * w, (size_t)(N - 7) * (size_t)w);
    for (int op = 0; op < KERNEL_UNARY_COUNT; op++) {
      int64_t o = kernel_unary_kind((enum kernel_unary)op) == 'p' ? 1 : w;
      float_loops.unary[d][op]((char *)one, o, (char *)x, w, N);
      float_loops_v3.unary[d][op]((char *)other, o, (char *)x, w, N);
      if (!is_same((char *)one, (char *)other, (size_t)w, o == 1, N))
        fail_msg("%s differs", kernel_unary_name((enum kernel_unary)op));
    }
    for (int op = 0; op < KERNEL_BINARY_COUNT; op++) {
      int64_t o = kernel_binary_kind((enum kernel_binary)op) == 'p' ? 1 : w;
      float_loops.binary[d][op]((char *)one, o, (char *)x, w, (char *)y, w, N);
      float_loops_v3.binary[d][op]((char *)other, o, (char *)x, w, (char *)y, w,
                                   N);
      if (!is_same((char *)one, (char *)other, (size_t)w, o == 1, N))
        fail_msg("%s differs", kernel_binary_name((enum kernel_binary)op));
    }
  }
#else
  skip();
#endif
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
      cmocka_unit_test(test_widths_agree),
      cmocka_unit_test(test_small_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

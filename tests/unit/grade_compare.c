// SPDX-License-Identifier: Apache-2.0
// grade/compare/compare.h: what counts as right.
#include "grade/compare/compare.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static size_t wrong_f32(float got, float want, struct tolerance tol) {
  struct comparison c;
  compare_arrays(DTYPE_F32, &got, &want, 1, &tol, &c);
  return c.wrong;
}

static void floats(void **state) {
  (void)state;
  struct tolerance exact = {0}, one = {.ulp = 1}, near = {.abs = 0.5};
  float next = nextafterf(1, 2);
  assert_int_equal(wrong_f32(1, 1, exact), 0);
  assert_int_equal(wrong_f32(next, 1, exact), 1);
  assert_int_equal(wrong_f32(next, 1, one), 0);
  assert_int_equal(wrong_f32(nextafterf(next, 2), 1, one), 1);
  assert_int_equal(wrong_f32(1.5f, 1, near), 0);
  assert_int_equal(wrong_f32(1.51f, 1, near), 1);
  assert_int_equal(wrong_f32(101, 100, (struct tolerance){.rel = 0.01}), 0);
  assert_int_equal(wrong_f32(101.1f, 100, (struct tolerance){.rel = 0.01}), 1);
  assert_int_equal(wrong_f32(-101, -100, (struct tolerance){.rel = 0.01}), 0);
  assert_int_equal(wrong_f32(-101.1f, -100, (struct tolerance){.rel = 0.01}),
                   1);
  // The smallest subnormals on both sides of zero are two apart.
  assert_int_equal(wrong_f32(-FLT_TRUE_MIN, FLT_TRUE_MIN, one), 1);
  assert_int_equal(
      wrong_f32(-FLT_TRUE_MIN, FLT_TRUE_MIN, (struct tolerance){.ulp = 2}), 0);
}

static void what_is_no_number(void **state) {
  (void)state;
  struct tolerance wide = {.abs = 1e30, .ulp = INT64_MAX - 1};
  struct tolerance nan_ok = {.allow_nan = true};
  assert_int_equal(wrong_f32(NAN, 1, wide), 1);
  assert_int_equal(wrong_f32(1, NAN, wide), 1);
  assert_int_equal(wrong_f32(NAN, NAN, wide), 1);
  assert_int_equal(wrong_f32(NAN, NAN, nan_ok), 0);
  assert_int_equal(wrong_f32(NAN, 1, nan_ok), 1);
  assert_int_equal(wrong_f32(INFINITY, INFINITY, wide), 0);
  assert_int_equal(wrong_f32(INFINITY, -INFINITY, wide), 1);
  // The largest float is one step below infinity, and yet not it.
  assert_int_equal(wrong_f32(FLT_MAX, INFINITY, wide), 1);
  assert_int_equal(wrong_f32(INFINITY, FLT_MAX, wide), 1);
  // Nor is any part of it a tolerance.
  struct tolerance part = {.rel = 0.01};
  assert_int_equal(wrong_f32(FLT_MAX, INFINITY, part), 1);
  assert_int_equal(wrong_f32(1, -INFINITY, part), 1);
}

static void zeros(void **state) {
  (void)state;
  assert_int_equal(wrong_f32(-0.0f, 0, (struct tolerance){0}), 0);
  assert_int_equal(wrong_f32(-0.0f, 0, (struct tolerance){.signed_zero = true}),
                   1);
  assert_int_equal(
      wrong_f32(-0.0f, -0.0f, (struct tolerance){.signed_zero = true}), 0);
}

static void first_and_largest(void **state) {
  (void)state;
  float want[] = {1, 2, 3, 4}, got[] = {1, 2.5f, 1, 4};
  struct tolerance exact = {0};
  struct comparison c;
  compare_arrays(DTYPE_F32, got, want, 4, &exact, &c);
  assert_int_equal(c.wrong, 2);
  assert_int_equal(c.first, 1);
  assert_true(c.got == 2.5 && c.want == 2);
  assert_true(c.max_abs_err == 2);
  got[0] = NAN;
  compare_arrays(DTYPE_F32, got, want, 4, &exact, &c);
  assert_int_equal(c.first, 0);
  assert_true(isnan(c.got) && isnan(c.max_abs_err));
  assert_true(c.max_ulp == INT64_MAX);
}

static void other_types(void **state) {
  (void)state;
  struct tolerance wide = {.abs = 10, .ulp = 10}, one = {.ulp = 1};
  struct comparison c;
  int32_t i[] = {-5, 7}, j[] = {-5, 8};
  compare_arrays(DTYPE_I32, i, j, 2, &wide, &c);
  assert_int_equal(c.wrong, 1); // integers are equal or not
  assert_int_equal(c.first, 1);
  int64_t a = INT64_MAX, b = INT64_MAX - 1; // the same as doubles
  compare_arrays(DTYPE_I64, &a, &b, 1, &wide, &c);
  assert_int_equal(c.wrong, 1);
  double d = 1, e = nextafter(1, 2);
  compare_arrays(DTYPE_F64, &d, &e, 1, &one, &c);
  assert_int_equal(c.wrong, 0);
  assert_int_equal(c.max_ulp, 1);
  uint16_t h = 0x3c00, k = 0x3c01; // f16: 1 and the next one
  compare_arrays(DTYPE_F16, &h, &k, 1, &one, &c);
  assert_int_equal(c.wrong, 0);
  compare_arrays(DTYPE_F16, &h, &k, 1, &(struct tolerance){0}, &c);
  assert_int_equal(c.wrong, 1);
  uint8_t u = 200, v = 200;
  compare_arrays(DTYPE_U8, &u, &v, 1, &one, &c);
  assert_int_equal(c.wrong, 0);
  assert_true(compare_element(DTYPE_U8, &u, 0) == 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floats),      cmocka_unit_test(what_is_no_number),
      cmocka_unit_test(zeros),       cmocka_unit_test(first_and_largest),
      cmocka_unit_test(other_types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// base/median.h: the middle of a few values, whatever their order.
#include "base/median.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_the_middle_value(void **state) {
  (void)state;
  double one[] = {7}, three[] = {9, -2, 4.5}, negative[] = {-1, -3, -2};
  assert_true(median_of(one, 1) == 7);
  assert_true(median_of(three, 3) == 4.5);
  assert_true(median_of(negative, 3) == -2);
}

static void test_of_an_even_number_the_mean_of_two(void **state) {
  (void)state;
  double two[] = {10, 2}, four[] = {100, 1, 3, 2};
  assert_true(median_of(two, 2) == 6);
  assert_true(median_of(four, 4) == 2.5);
}

static void test_values_are_sorted(void **state) {
  (void)state;
  double values[] = {3, 0.25, -1, 0.5, 3};
  const double sorted[] = {-1, 0.25, 0.5, 3, 3};
  median_sort(values, 5);
  for (int i = 0; i < 5; i++)
    assert_true(values[i] == sorted[i]);
  median_sort(values, 0); // and of none nothing
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_middle_value),
      cmocka_unit_test(test_of_an_even_number_the_mean_of_two),
      cmocka_unit_test(test_values_are_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

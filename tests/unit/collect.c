// SPDX-License-Identifier: Apache-2.0
// class/collect.h: which times of a hand-in can be.
#include "class/collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NOW = 1000000, LAST = NOW - 5000 };

static void no_file_is_of_the_future(void **state) {
  (void)state;
  assert_true(collect_is_possible(NOW, NOW, LAST));
  assert_true(collect_is_possible(NOW + 1, NOW, LAST)); // between two looks
  assert_false(collect_is_possible(NOW + 2, NOW, LAST));
  assert_false(collect_is_possible(NOW + 2, NOW, 0));
}

static void none_was_there_at_the_collection_before(void **state) {
  (void)state;
  assert_true(collect_is_possible(LAST, NOW, LAST));
  assert_true(collect_is_possible(LAST - COLLECT_SLACK_S, NOW, LAST));
  assert_false(collect_is_possible(LAST - COLLECT_SLACK_S - 1, NOW, LAST));
  assert_true(collect_is_possible(1, NOW, 0)); // there was none
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_file_is_of_the_future),
      cmocka_unit_test(none_was_there_at_the_collection_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

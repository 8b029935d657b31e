// SPDX-License-Identifier: Apache-2.0
// base/nearest: the name that was perhaps meant.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

static void expect(const char *word, const char *want) {
  static const char *const names[] = {"sum",  "size",     "sinh",
                                      "sin",  "arange",   "linalg",
                                      "vmap", "blockIdx", "x"};
  struct nearest n = nearest_to(word);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    nearest_try(&n, names[i], strlen(names[i]));
  if (!want) {
    assert_null(n.name);
    return;
  }
  assert_non_null(n.name);
  assert_int_equal(n.bytes, strlen(want));
  assert_memory_equal(n.name, want, n.bytes);
}

static void test_near(void **state) {
  (void)state;
  expect("summ", "sum");
  expect("vmpa", "vmap");
  expect("arrange", "arange");
  expect("blockidx", "blockIdx");
  expect("sine", "sin"); // not size: more of the beginning is the same
}

static void test_hint(void **state) {
  (void)state;
  char hint[NEAREST_HINT];
  struct nearest n = nearest_to("gpus");
  assert_string_equal(nearest_hint(hint, &n, "--", "?"), "");
  nearest_try(&n, "gpu,time", 3); // a name that does not end there
  assert_string_equal(nearest_hint(hint, &n, "--", "?"),
                      "; did you mean --gpu?");
  // The longest that can be near.
  n = nearest_to("abcdefghijklmnopqrstuvwxyzabcdefghijklmX");
  nearest_try(&n, "abcdefghijklmnopqrstuvwxyzabcdefghijklmn", 40);
  assert_string_equal(nearest_hint(hint, &n, "--", "?"),
                      "; did you mean "
                      "--abcdefghijklmnopqrstuvwxyzabcdefghijklmn?");
}

static void test_far(void **state) {
  (void)state;
  expect("sum", NULL); // the word itself is not meant
  expect("frobnicate", NULL);
  expect("y", NULL);
  expect("", NULL);
  expect("a_name_of_more_than_forty_letters_in_one_row", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_near),
      cmocka_unit_test(test_hint),
      cmocka_unit_test(test_far),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// The glossary: words as people type them, and what was meant by a slip.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/nearest.h"
#include "repl/command/command.h"

static void finds_words_as_they_are_typed(void **state) {
  (void)state;
  const char *warp = glossary_find("warp"),
             *barrier = glossary_find("__syncthreads");
  assert_non_null(warp);
  assert_non_null(barrier);
  assert_ptr_equal(glossary_find("WARP"), warp);
  assert_ptr_equal(glossary_find("__syncthreads()"), barrier);
  assert_ptr_equal(glossary_find("threadIdx.x"), glossary_find("threadIdx"));
  assert_null(glossary_find("zebra"));
  assert_null(glossary_find(""));
  assert_null(glossary_find("war")); // no more and no less than the word
}

static void names_each_word_and_no_more(void **state) {
  (void)state;
  int count = 0;
  while (glossary_word(count))
    assert_non_null(glossary_find(glossary_word(count++)));
  assert_in_range(count, 20, 1000);
  assert_null(glossary_word(count));
  assert_null(glossary_word(count + 1));
  assert_null(glossary_word(-1));
}

static void guesses_what_was_meant(void **state) {
  (void)state;
  struct nearest n = nearest_to("occupency");
  glossary_try(&n);
  assert_string_equal(n.name, "occupancy");
  n = nearest_to("hosd"); // of the first word
  glossary_try(&n);
  assert_string_equal(n.name, "host");
  n = nearest_to("zebras");
  glossary_try(&n);
  assert_null(n.name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_words_as_they_are_typed),
      cmocka_unit_test(names_each_word_and_no_more),
      cmocka_unit_test(guesses_what_was_meant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Strings that grow: what is formatted at their end is whole, however much room there
// was left for it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

// Before it so many bytes are there, so that it just fits, or does not by one.
static void test_formatted(void **state) {
  (void)state;
  enum { MOST = 70 };
  char text[MOST + 1] = "";
  for (int before = 0; before <= MOST; before++)
    for (int n = 0; n <= MOST; n++) {
      struct str s = STR_INIT;
      memset(text, 'x', MOST);
      text[n] = 0;
      for (int k = 0; k < before; k++)
        str_add_char(&s, 'a');
      str_addf(&s, "%s", text);
      assert_int_equal(s.len, before + n);
      assert_int_equal(strlen(s.data), before + n);
      assert_int_equal(strspn(s.data, "a"), before);
      assert_string_equal(s.data + before, text);
      str_addf(&s, "%d", n);
      assert_int_equal(atoi(s.data + before + n), n);
      str_free(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_formatted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

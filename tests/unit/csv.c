// SPDX-License-Identifier: Apache-2.0
// base/csv: quotes, numbers, and cells that a spreadsheet would take for a formula.
// tests/grade/formats has Python's reader read what is written.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/csv.h"

static void expect(struct csv *c, const char *want) {
  char *got = csv_take(c);
  assert_string_equal(got, want);
  free(got);
  c->has_cell = false;
}

static void quotes(void **state) {
  (void)state;
  struct csv c = CSV_INIT;
  csv_text(&c, "plain");
  csv_text(&c, "a,b");
  csv_text(&c, "say \"so\"");
  csv_text(&c, "two\nlines");
  csv_text(&c, "\xd7\xa9\xd7\x9c");
  csv_text(&c, "");
  csv_text(&c, " wide ");
  csv_end_row(&c);
  csv_text(&c, "next");
  csv_end_row(&c);
  expect(&c, "plain,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\","
             "\xd7\xa9\xd7\x9c,,\" wide \"\r\nnext\r\n");
}

static void formulas(void **state) {
  (void)state;
  static const char *const texts[] = {"=1", "+1", "-1", "@a", "\tx", "a=1"};
  static const char *const cells[] = {"'=1", "'+1",  "'-1",
                                      "'@a", "'\tx", "a=1"};
  struct csv c = CSV_INIT;
  for (int i = 0; i < 6; i++) {
    csv_text(&c, texts[i]);
    expect(&c, cells[i]);
  }
  csv_text(&c, "\rx");
  expect(&c, "\"'\rx\"");
  csv_text(&c, "=HYPERLINK(\"http://x\",1)");
  expect(&c, "\"'=HYPERLINK(\"\"http://x\"\",1)\"");
}

// What another program compares or adds up is never changed.
static void keys_and_numbers(void **state) {
  (void)state;
  struct csv c = CSV_INIT;
  csv_key(&c, "-anna");
  csv_number(&c, -2.5);
  csv_number(&c, NAN);
  csv_number(&c, 10);
  csv_number(&c, 1.0 / 3);
  expect(&c, "-anna,-2.5,,10,0.3333333333");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotes),
      cmocka_unit_test(formulas),
      cmocka_unit_test(keys_and_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

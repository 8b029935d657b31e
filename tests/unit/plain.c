// SPDX-License-Identifier: Apache-2.0
// base/text/text.h: pictures as sentences, the columns of characters.
#include "base/text/text.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, const char *expected) {
  struct str out = STR_INIT;
  plain_spell(text, &out);
  assert_string_equal(out.data, expected);
  str_free(&out);
}

static void carets(void **state) {
  (void)state;
  expect("f.cu:2:11  error: what\n  2 |   int i = blokIdx.x;\n"
         "    |           ^ did you mean blockIdx?",
         "f.cu:2:11  error: what\n  line 2: int i = blokIdx.x;\n"
         "  column 11, at blokIdx: did you mean blockIdx?");
  expect("  12 | y[i] = x[i + 1] * 2;\n     |        ~~~~~~~~ ^\n",
         "  line 12: y[i] = x[i + 1] * 2;\n  column 8, at x[i + 1]\n");
  expect(
      "  12 | y[i] = x[i + 1];\n     |        ^~~~~~~~ thread 3\nmore\n",
      "  line 12: y[i] = x[i + 1];\n  column 8, at x[i + 1]: thread 3\nmore\n");
  // Columns are those of the screen: a wide character has two.
  expect("  1 | // \xe4\xb8\xad x\n    |       ^\n",
         "  line 1: // \xe4\xb8\xad x\n  column 7, at x\n");
  expect("  3 | v[0] = 1;  thread (0,0,0) writes\n  4 | v[1] = 2;\n",
         "  line 3: v[0] = 1;  thread (0,0,0) writes\n  line 4: v[1] = 2;\n");
}

static void tables(void **state) {
  (void)state;
  expect("| name | what |\n|---|---|\n| `a | b` | either |\n| c | |\nbehind\n",
         "name: `a | b`; what: either\nname: c; what: \nbehind\n");
  expect("| one | two |\n| three | four |", "one; two\nthree; four");
}

static void all_else_stays(void **state) {
  (void)state;
  expect("", "");
  expect("a sentence\n\n  12 of 13 | and so on",
         "a sentence\n\n  12 of 13 | and so on");
  expect("| no table", "| no table");
  expect("x | y\n", "x | y\n");
}

static void wanted(void **state) {
  (void)state;
  unsetenv("WARPSHOP_PLAIN");
  assert_false(plain_is_wanted());
  plain_want(true);
  assert_true(plain_is_wanted());
  plain_want(false);
  assert_false(plain_is_wanted());
}

// ---- Columns ----

#define ACCENT "\xcc\x81"
#define WOMAN  "\xf0\x9f\x91\xa9"
#define JOINER "\xe2\x80\x8d"
#define LAPTOP "\xf0\x9f\x92\xbb"

static void characters(void **state) {
  static const struct {
    const char *text;
    size_t bytes;
    int columns;
  } cases[] = {
      {"ab", 1, 1},
      {"e" ACCENT "x", 3, 1},
      {"e" ACCENT ACCENT "x", 5, 1},
      {ACCENT "x", 2, 0},
      {"\xe6\xbc\xa2\xe5\xad\x97", 3, 2}, // CJK
      {"\xef\xbd\xb1", 3, 1},             // a halfwidth kana
      {"\xf0\x9f\x98\x80!", 4, 2},
      {WOMAN JOINER LAPTOP "x", 11, 2},
      {WOMAN LAPTOP, 4, 2},                           // two
      {"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 9, 2}, // a syllable of Hangul
      {"\x1b[1m", 1, -1},
      {"\xff", 1, -1},
      {"\xe4\xb8", 1, -1}, // cut off
      {"\xe2\x80\xae"
       "a",
       3, -1}, // turns what follows around
      {"a\xe2\x80\x8e", 1, 1},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct width_char c = width_next(cases[i].text, strlen(cases[i].text));
    assert_int_equal(c.bytes, cases[i].bytes);
    assert_int_equal(c.columns, cases[i].columns);
  }
}

static void texts(void **state) {
  (void)state;
  static const char mixed[] = "a\xe6\xbc\xa2"
                              "e" ACCENT WOMAN JOINER LAPTOP ".";
  size_t n = strlen(mixed);
  assert_int_equal(width_of(mixed, n), 1 + 2 + 1 + 2 + 1);
  assert_int_equal(width_bytes(mixed, n, 2), 1); // half of a wide one is none
  assert_int_equal(width_bytes(mixed, n, 4), 7);
  assert_int_equal(width_bytes(mixed, n, 5), 7);
  assert_int_equal(width_bytes(mixed, n, 6), 18);
  assert_int_equal(width_bytes(mixed, n, 99), n);
  assert_int_equal(width_of("", 0), 0);
}

int main(void) {
  if (!setlocale(LC_CTYPE, "C.UTF-8"))
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(carets),         cmocka_unit_test(tables),
      cmocka_unit_test(all_else_stays), cmocka_unit_test(wanted),
      cmocka_unit_test(characters),     cmocka_unit_test(texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

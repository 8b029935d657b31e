// SPDX-License-Identifier: Apache-2.0
// repl/tui/screen.h: what is wrapped, and what is left whole.
#include "repl/tui/screen.h"
#include "repl/tui/tui.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct screen narrow = {.is_terminal = true, .columns = 30};

static void expect_fit(const struct screen *s, const char *text,
                       const char *expected) {
  struct str out = STR_INIT;
  screen_fit(s, text, &out);
  assert_string_equal(out.data, expected);
  str_free(&out);
}

static void prose(void **state) {
  (void)state;
  expect_fit(&narrow, "short", "short");
  expect_fit(&narrow, "short\n\nlines\n", "short\n\nlines\n");
  expect_fit(&narrow, "  a sentence that is longer than the screen\n",
             "  a sentence that is longer\n  than the screen\n");
  expect_fit(&narrow, "copy out 2.2 us, then wait 8.1 us\n",
             "copy out 2.2 us, then wait\n8.1 us\n");
}

static void columns(void **state) {
  (void)state;
  expect_fit(&narrow, "  :check     judges what was typed last\n",
             "  :check     judges what was\n             typed last\n");
  expect_fit(&narrow, "  9.0  Hopper  H100   wgmma and clusters\n",
             "  9.0  Hopper  H100   wgmma\n       and clusters\n");
  const struct screen wide = {.is_terminal = true, .columns = 60};
  expect_fit(&wide,
             "| `threadIdx.x` | my number in my block, which is counted from 0 "
             "|\n|---|---|\n| `b | c` | d |\n",
             "`threadIdx.x`  my number in my block, which is counted from\n"
             "               0\n-------------\n`b | c`        d\n");
  expect_fit(&wide, "| no table", "| no table");
  // What has no room beside the others, where it cannot be wrapped, is said.
  static const char three[] = "|  | the host | the device |\n|---|---|---|\n"
                              "| used for | files, decisions | large sums |\n"
                              "| programs | any | its own |\n";
  const struct screen enough = {.is_terminal = true, .columns = 39};
  const struct screen less = {.is_terminal = true, .columns = 38};
  expect_fit(&enough, three,
             "          the host          the device\n--------\n"
             "used for  files, decisions  large sums\n"
             "programs  any               its own\n");
  expect_fit(&less, three,
             "used for; the host: files,\n  decisions; the device: large sums\n"
             "programs; the host: any; the\n  device: its own\n");
}

// A line of source is cut to what stands around its caret.
static void source(void **state) {
  (void)state;
  static const char line[] = "  3 |   out[i] = left[i];\n";
  expect_fit(&narrow, line, line);
  expect_fit(&narrow, "  3 |   out[i] = left[i] + right[i];\n",
             "  3 |   out[i] = left[i]  ...\n");
  expect_fit(&narrow,
             "  3 |   out[i] = left[i] + right[i] + middle[i] + more[i];\n"
             "    |                                 ^^^^^^ here\n",
             "  3 | ...] + middle[i] +  ...\n"
             "    |        ^^^^^^\n    here\n");
  expect_fit(&narrow, "    |            ^^^ thread (0,0,0) of block (1,0,0)",
             "    |            ^^^\n    thread (0,0,0) of block\n    (1,0,0)");
  expect_fit(&narrow, "  3 |   v[0] = v[1];    thread (0,0,0) writes\n",
             "  3 |   v[0] = v[1];\n    thread (0,0,0) writes\n");
  expect_fit(&narrow, "    |      ^ short", "    |      ^ short");
}

// A wide character takes two columns, an accent none.
static void wide(void **state) {
  (void)state;
  expect_fit(&narrow, "数据数据数据 数据数据数据 数据\n",
             "数据数据数据 数据数据数据\n数据\n");
  static const char accents[] = "ééééé abcdefghijklmnopqrstuvw\n";
  expect_fit(&narrow, accents, accents);
  expect_fit(&narrow, "| 数据 | two |\n|---|---|\n| a | b |\n",
             "数据  two\n----\na     b\n");
  expect_fit(&narrow, "  3 |   // 数据数据数据数据数据数据数据数据\n",
             "  3 |   // 数据数据数据数 ...\n");
}

static void plain(void **state) {
  (void)state;
  struct screen s = {.is_terminal = true, .is_plain = true, .columns = 30};
  expect_fit(&s,
             "  3 |   out[i] = left[i] + right[i] + middle[i];\n"
             "    |                      ^^^^^ a sentence behind it\n",
             "  line 3: out[i] = left[i] +\n  right[i] + middle[i];\n"
             "  column 22, at right: a\n  sentence behind it\n");
  s.is_terminal = false;
  expect_fit(
      &s, "  3 | x\n    | ^ here, and a rather long sentence\n",
      "  line 3: x\n  column 1, at x: here, and a rather long sentence\n");
}

// Marks of a text have no width of their own, from the first to the last.
static void marks(void **state) {
  (void)state;
  assert_int_equal(screen_width_of("ab", 2), 2);
  for (char mark = MARK_STRONG; mark <= MARK_BREAK; mark++)
    assert_int_equal(screen_width_of((char[]){'a', mark, 'b'}, 3), 2);
}

static void no_terminal(void **state) {
  (void)state;
  struct screen pipe = {.columns = 30};
  static const char text[] = "a sentence that is longer than the screen\n\n";
  expect_fit(&pipe, text, text);
}

// On one row, in the place of what stood there: it leaves the last column free, in which
// some terminals begin the next row.
static void progress(void **state) {
  (void)state;
  struct screen s = {0};
  char said[600], want[700];
  int terminal = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO);
  assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
  int there = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  setenv("TERM", "xterm", 1);
  screen_measure(&s); // of the standard output, whatever that is here
  memset(said, 'x', sizeof said - 1);
  said[sizeof said - 1] = 0;
  dup2(there, STDERR_FILENO);
  screen_progress(&s, "half of it");
  screen_progress(&s, said);
  dup2(kept, STDERR_FILENO);
  snprintf(want, sizeof want, "\r\033[Khalf of it\r\033[K%.*s", s.columns - 1,
           said);
  size_t n = 0;
  close(there); // then reading ends
  for (ssize_t more;
       (more = read(terminal, said + n, sizeof said - 1 - n)) > 0;)
    n += (size_t)more;
  said[n] = 0;
  assert_string_equal(said, want);
  assert_true(s.has_progress);
  close(kept);
  close(terminal);
}

int main(void) {
  if (!setlocale(LC_CTYPE, "C.UTF-8"))
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prose),  cmocka_unit_test(columns),
      cmocka_unit_test(source), cmocka_unit_test(wide),
      cmocka_unit_test(plain),  cmocka_unit_test(no_terminal),
      cmocka_unit_test(marks),  cmocka_unit_test(progress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

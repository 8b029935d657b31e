// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "repl/tui/editor.h"

static void expect(const char *editor, int line, const char *wanted) {
  struct str out = STR_INIT;
  editor_add_command(editor, "it's a.cu", line, &out);
  assert_string_equal(out.data, wanted);
  str_free(&out);
}

static void test_lines(void **state) {
  (void)state;
  expect("vim", 3, "vim +3 'it'\\''s a.cu'");
  expect("/usr/bin/nano -l", 12, "/usr/bin/nano -l +12 'it'\\''s a.cu'");
  expect("emacsclient -t", 3, "emacsclient -t +3 'it'\\''s a.cu'");
  expect("code --wait", 3, "code --wait --goto 'it'\\''s a.cu':3");
  expect("hx", 3, "hx 'it'\\''s a.cu':3");
}

static void test_no_line(void **state) {
  (void)state;
  expect("vim", 0, "vim 'it'\\''s a.cu'");
  expect("ed", 3, "ed 'it'\\''s a.cu'");
  expect("/opt/vi/other", 3, "/opt/vi/other 'it'\\''s a.cu'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_no_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

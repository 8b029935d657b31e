// SPDX-License-Identifier: Apache-2.0
// display/typed: what keys do to a line that is typed.
#include "display/display.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct typed line;

static void press(int key) {
  assert_true(typed_press(&line, key, "pasted"));
}

// The keys of the line, from the cursor at its end on; 0 ends them.
static void press_all(const int *keys) {
  for (; *keys; keys++)
    press(*keys);
}
// `marked` has "|" where the cursor is to be.
static void gives(const char *marked, const char *text, const int *keys) {
  char got[TYPED_BYTES + 2];
  typed_set(&line, text);
  press_all(keys);
  snprintf(got, sizeof got, "%.*s|%s", (int)line.at, line.text,
           line.text + line.at);
  assert_string_equal(got, marked);
}
#define GIVES(marked, text, ...)                                               \
  gives(marked, text, (const int[]){__VA_ARGS__, 0})

enum {
  CTRL_A = 1,
  CTRL_B,
  CTRL_E = 5,
  CTRL_F,
  CTRL_K = 11,
  CTRL_U = 21,
  CTRL_W = 23
};

static void characters(void **state) {
  (void)state;
  GIVES("ab|", "", 'a', 'b');
  GIVES("axb|", "ab", DISPLAY_LEFT, 'x', DISPLAY_RIGHT);
  GIVES("größe|", "gr", 0xF6, 0xDF, 'e');
  GIVES("網|路", "網路", DISPLAY_LEFT);
  GIVES("a|", "a", 0x202E); // turns the direction of text
}

static void taken_out(void **state) {
  (void)state;
  GIVES("größ|", "größe", DISPLAY_BACKSPACE);
  GIVES("|", "", DISPLAY_BACKSPACE, DISPLAY_DELETE);
  GIVES("網|", "網路", DISPLAY_BACKSPACE);
  GIVES("e|", "ee\xcc\x81", DISPLAY_BACKSPACE); // with its accent
  GIVES("|b", "ab", DISPLAY_HOME, DISPLAY_DELETE);
  GIVES("a|", "ae\xcc\x81", DISPLAY_LEFT, DISPLAY_DELETE);
  GIVES("|c", "abc", DISPLAY_LEFT, CTRL_U);
  GIVES("a|", "abc", CTRL_A, CTRL_F, CTRL_K);
  GIVES("one |", "one two  ", CTRL_W);
  GIVES("one |o", "one two", DISPLAY_LEFT, CTRL_W);
  GIVES("|", "one", CTRL_W, CTRL_W);
}

static void moves(void **state) {
  (void)state;
  GIVES("|ab", "ab", DISPLAY_HOME, DISPLAY_LEFT);
  GIVES("ab|", "ab", DISPLAY_HOME, DISPLAY_END, DISPLAY_RIGHT);
  GIVES("a|b", "ab", CTRL_A, CTRL_F);
  GIVES("a|b", "ab", CTRL_E, CTRL_B);
  assert_false(typed_press(&line, '\n', ""));
  assert_false(typed_press(&line, '\t', ""));
  assert_false(typed_press(&line, DISPLAY_UP, ""));
  assert_false(typed_press(&line, DISPLAY_ESCAPE, ""));
  assert_false(typed_press(&line, DISPLAY_INTERRUPT, ""));
  assert_false(typed_press(&line, DISPLAY_F1 + 4, ""));
}

static void pasted(void **state) {
  (void)state;
  GIVES("apasted|b", "ab", DISPLAY_LEFT, DISPLAY_PASTED);
  typed_set(&line, "a\tb\x1b[A\xff"
                   "c\nd");
  assert_string_equal(line.text, "a b[Ac"); // a row, and no control, of UTF-8
}

// A paste that is too long ends between two characters; nothing else fits.
static void is_full(void **state) {
  (void)state;
  char *text = calloc(1, 2 * TYPED_BYTES + 2);
  for (int i = 0; i < TYPED_BYTES; i++)
    strcat(text, "ä");
  typed_set(&line, text);
  assert_int_equal(strlen(line.text), TYPED_BYTES - 2);
  press('x');
  assert_int_equal(strlen(line.text), TYPED_BYTES - 1);
  press('y');
  assert_int_equal(strlen(line.text), TYPED_BYTES - 1);
  free(text);
}

int main(void) {
  setlocale(LC_ALL, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(characters), cmocka_unit_test(taken_out),
      cmocka_unit_test(moves),      cmocka_unit_test(pasted),
      cmocka_unit_test(is_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// display/keys: bytes into keys, in every way that they can be cut.
#include "display/keys.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 32 };

// The keys that the text gives when it comes in pieces of `step` bytes; a pause at
// its end alone, as where it comes over a slow line.
static int read_all(const char *text, size_t bytes, size_t step, int *out) {
  struct keys k;
  int count = 0, key;
  keys_init(&k);
  keys_know(&k, "\033[7$", DISPLAY_HOME);
  keys_know(&k, "\033zz", DISPLAY_END); // of no standard's form
  for (size_t i = 0; i < bytes; i += step) {
    keys_add(&k, text + i, bytes - i < step ? bytes - i : step);
    while ((key = keys_next(&k, false)))
      out[count++] = key;
  }
  while ((key = keys_next(&k, true)))
    out[count++] = key;
  assert_int_equal(k.in.len, 0);
  keys_free(&k);
  return count;
}

static void gives(const char *text, const int *want, int count) {
  size_t bytes = strlen(text);
  for (size_t step = 1; step <= bytes; step++) {
    int got[MOST] = {0};
    assert_int_equal(read_all(text, bytes, step, got), count);
    for (int i = 0; i < count; i++)
      assert_int_equal(got[i], want[i]);
  }
}
#define GIVES(text, ...)                                                       \
  gives(text, (const int[]){__VA_ARGS__},                                      \
        (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

static void characters(void **state) {
  (void)state;
  GIVES("aZ \r\t", 'a', 'Z', ' ', '\n', '\t');
  GIVES("\003\004\032", 3, 4, 26);
  GIVES("\177\b", DISPLAY_BACKSPACE, DISPLAY_BACKSPACE);
  GIVES("ä€😀", 0xE4, 0x20AC, 0x1F600);
  GIVES("\xff"
        "a",
        0xFFFD, 'a');
  GIVES("\xe2\x82", 0xFFFD, 0xFFFD); // its end never came
  GIVES("\xe2\x82q", 0xFFFD, 0xFFFD, 'q');
}

static void arrows(void **state) {
  (void)state;
  GIVES("\033[A\033OB\033[1;5C\033[D", DISPLAY_UP, DISPLAY_DOWN, DISPLAY_RIGHT,
        DISPLAY_LEFT);
  GIVES("\033[H\033[4~\033[5~\033[6~\033[3~\033[Z", DISPLAY_HOME, DISPLAY_END,
        DISPLAY_PAGE_UP, DISPLAY_PAGE_DOWN, DISPLAY_DELETE, DISPLAY_BACK_TAB);
  GIVES("\033OP\033[21~\033[[Bx", DISPLAY_F1, DISPLAY_F10, DISPLAY_F1 + 1, 'x');
  GIVES("\033[7$x", DISPLAY_HOME, 'x'); // this terminal's own
  GIVES("\033zzx", DISPLAY_END, 'x');
  GIVES("\033zx", DISPLAY_ESCAPE, 'z', 'x'); // its beginning alone
}

// The wheel is three arrows; a press of the left button is a click, and nothing else is
// any key, least of all its final M, which is Enter on some keypads.
static void mouse(void **state) {
  (void)state;
  GIVES("\033[<64;3;4Mx", DISPLAY_UP, DISPLAY_UP, DISPLAY_UP, 'x');
  GIVES("\033[<65;3;4M", DISPLAY_DOWN, DISPLAY_DOWN, DISPLAY_DOWN);
  GIVES("\033[<0;12;5M\033[<0;12;5mq", DISPLAY_CLICK, DISPLAY_NOTHING, 'q');
  GIVES("\033[<2;1;1M\033[<0;;M\033[<M", DISPLAY_NOTHING, DISPLAY_NOTHING,
        DISPLAY_NOTHING);
}

static void unknown_sequences_type_nothing(void **state) {
  (void)state;
  GIVES("\033[99~q", DISPLAY_UNKNOWN, 'q');
  GIVES("\033[12\033[A", DISPLAY_UNKNOWN, DISPLAY_UP);
}

// What the terminal says of itself; also over a line that is slower than Esc.
static void answers_are_no_keys(void **state) {
  (void)state;
  GIVES("a\033_Gi=31;OK\033\\\033[?62;4cq", 'a', DISPLAY_NOTHING,
        DISPLAY_NOTHING, 'q');
  GIVES("\033_q\033_", DISPLAY_ESCAPE, '_', 'q', DISPLAY_ESCAPE, '_'); // typed
  GIVES("\033_Gi\033[A", DISPLAY_ESCAPE, '_', 'G', 'i', DISPLAY_UP);
  GIVES("\033[?6\033[A", DISPLAY_UNKNOWN, DISPLAY_UP); // broken off
  static const char answer[] = "\033_Gi=31;OK\033\\\033[?62;4c";
  struct keys k;
  keys_init(&k);
  for (size_t i = 0; answer[i]; i++) {
    keys_add(&k, &answer[i], 1);
    bool is_in_answer = keys_has_piece(&k) && k.in.len > 2;
    int key = keys_next(&k, is_in_answer); // a pause after each
    assert_true(!key || key == DISPLAY_NOTHING);
  }
  assert_int_equal(k.in.len, 0);
  keys_add(&k, "\033[?6", 4); // its rest never comes
  int pauses = 1;
  while (!keys_next(&k, true))
    pauses++;
  assert_in_range(pauses, 2, 100);
  assert_int_equal(k.in.len, 0);
  keys_free(&k);
}

static void escape_is_a_key(void **state) {
  (void)state;
  GIVES("\033", DISPLAY_ESCAPE);
  GIVES("\033q", DISPLAY_ESCAPE, 'q');
  GIVES("\033\033", DISPLAY_ESCAPE, DISPLAY_ESCAPE);
  GIVES("\033\033[A", DISPLAY_ESCAPE, DISPLAY_UP);
  GIVES("a\033[", 'a', DISPLAY_ESCAPE, '['); // typed
  GIVES("\033O", DISPLAY_ESCAPE, 'O');
  GIVES("\033[7", DISPLAY_ESCAPE, '[', '7');
}

static void pastes(void **state) {
  (void)state;
  static const char text[] = "a\033[200~q\nx\033[20\033[201~b";
  for (size_t step = 1; step <= strlen(text); step++) {
    struct keys k;
    int got[MOST], count = 0, key;
    keys_init(&k);
    for (size_t i = 0; i < strlen(text); i += step) {
      size_t rest = strlen(text) - i;
      keys_add(&k, text + i, rest < step ? rest : step);
      while ((key = keys_next(&k, false))) {
        got[count++] = key;
        if (key == DISPLAY_PASTED)
          assert_string_equal(k.paste.data, "q\nx\033[20");
      }
    }
    assert_int_equal(count, 3);
    assert_int_equal(got[1], DISPLAY_PASTED);
    assert_int_equal(got[2], 'b');
    keys_free(&k);
  }
}

static void widths(void **state) {
  (void)state;
  assert_int_equal(display_width("abc", 3), 3);
  assert_int_equal(display_width("größe", strlen("größe")), 5);
  assert_int_equal(display_width("数据", strlen("数据")), 4);
  assert_int_equal(display_width("e\xcc\x81x", 4), 2); // a combining accent
  assert_int_equal(display_width("\033[2J", 4), 4);    // shown as ?[2J
  assert_int_equal(display_fit("数据", 3), 3);         // a half is not shown
  assert_int_equal(display_fit("e\xcc\x81x", 1), 3); // the accent belongs to it
  assert_int_equal(display_fit("abc", 9), 3);
  assert_int_equal(display_width("👩‍💻", strlen("👩‍💻")), 2);
}

static void panes(void **state) {
  (void)state;
  struct pane all = {NULL, 0, 0, 24, 80};
  struct pane head = pane_cut_top(&all, 2), foot = pane_cut_bottom(&all, 1);
  struct pane left = pane_cut_left(&all, 30);
  assert_int_equal(head.rows, 2);
  assert_int_equal(foot.row, 23);
  assert_int_equal(left.row, 2);
  assert_int_equal(left.rows, 21);
  assert_int_equal(all.column, 30);
  assert_int_equal(all.columns, 50);
  struct pane rest = pane_cut_top(&all, 99);
  assert_int_equal(rest.rows, 21);
  assert_int_equal(all.rows, 0);
  assert_int_equal(pane_cut_bottom(&all, 5).rows, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(characters),
      cmocka_unit_test(arrows),
      cmocka_unit_test(mouse),
      cmocka_unit_test(unknown_sequences_type_nothing),
      cmocka_unit_test(answers_are_no_keys),
      cmocka_unit_test(escape_is_a_key),
      cmocka_unit_test(pastes),
      cmocka_unit_test(widths),
      cmocka_unit_test(panes),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// What the debugger's screen is made of: where lanes are, values in cells, room.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "repl/debugger/picture.h"

static const char survey_text[] = "grid 4 2 1\n"
                                  "block 40 1 1\n"
                                  "blocks 3 1\n"
                                  "warp 0 ffffffff fffffff0\n"
                                  "at 000000f0 6\n"
                                  "at ffffff00 7, waits at barrier 0\n"
                                  "warp 1 000000ff 00000000\n";

static void test_survey(void **state) {
  (void)state;
  struct survey s;
  char letters[LANES + 1];
  assert_true(survey_read(survey_text, &s));
  assert_int_equal(survey_blocks(&s), 8);
  assert_int_equal(s.begun, 3);
  assert_int_equal(s.running, 1);
  assert_int_equal(s.warp_count, 2);
  assert_string_equal(s.warps[0].places[1].wait, "waits at barrier 0");
  assert_int_equal(survey_warp(&s, 1)->place_count, 0);
  assert_null(survey_warp(&s, 2));
  survey_letters(&s.warps[0], 5, letters);
  assert_string_equal(letters, "----AAAABBBBBBBBBBBBBBBBBBBBBBBB");
  // The place of the lane in focus is always A.
  survey_letters(&s.warps[0], 9, letters);
  assert_string_equal(letters, "----BBBBAAAAAAAAAAAAAAAAAAAAAAAA");
  survey_letters(&s.warps[1], 0, letters);
  assert_string_equal(letters, "--------                        ");
  assert_int_equal(survey_letter_at(&s.warps[0], 7, 5), 'B');
  assert_int_equal(survey_letter_at(&s.warps[0], 8, 5), 0);
}

// What cannot be read leaves nothing behind.
static void test_survey_cut_short(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof survey_text - 1; n++) {
    struct survey s;
    char *part = strndup(survey_text, n);
    survey_read(part, &s);
    assert_in_range(s.warp_count, 0, 2);
    free(part);
  }
  struct survey s;
  assert_false(survey_read("there is no such command", &s));
  assert_int_equal(s.warp_count, 0);
}

static void test_lanes(void **state) {
  (void)state;
  struct lane_values v;
  cells_read_lanes("0 7\n1 8\n3 7\n31 {x = 1, y = 2}\n99 1\nx\n", &v);
  assert_true(v.has[0] && v.has[1] && !v.has[2] && v.has[3] && v.has[31]);
  assert_int_equal(v.kind[0], v.kind[3]); // the same value
  assert_int_not_equal(v.kind[0], v.kind[1]);
  assert_int_equal(v.kinds, 3);
  assert_string_equal(v.text[31], "{x = 1, y = 2}");
  cells_read_lanes("4 1234567890123456789012345678901234567890\n", &v);
  assert_int_equal(strlen(v.text[4]), CELL_BYTES - 1);
}

static void test_grid(void **state) {
  (void)state;
  struct cell_grid g = cells_grid(32, 1, 4, 80);
  assert_int_equal(g.per_row, 32);
  assert_int_equal(g.rows, 1);
  g = cells_grid(32, 4, 4, 80);
  assert_int_equal(g.per_row, 8);
  assert_int_equal(g.rows, 4);
  g = cells_grid(7, 30, 4, 20); // one that does not fit has a row
  assert_int_equal(g.per_row, 1);
  assert_int_equal(g.rows, 7);
}

static void test_split(void **state) {
  (void)state;
  char out[8][CELL_BYTES];
  assert_int_equal(cells_split("{0, 0.5, uninitialised}\n", out, 8), 3);
  assert_string_equal(out[1], "0.5");
  assert_string_equal(out[2], "uninitialised");
  assert_int_equal(cells_split("{{1, 2}, {3, 4}}", out, 8), 4);
  assert_string_equal(out[3], "4");
  assert_int_equal(cells_split("{{x = 1, y = {2, 3}}, {x = 4}}", out, 8), 2);
  assert_string_equal(out[0], "{x = 1, y = {2, 3}}");
  assert_string_equal(out[1], "{x = 4}");
  assert_int_equal(cells_split("{1, 2, 3}", out, 2), 2);
  assert_int_equal(cells_split("{1, 2, ... (256 elements)}", out, 8), 2);
  assert_int_equal(cells_split("5", out, 8), 1);
  assert_int_equal(cells_split("", out, 8), 0);
}

static void test_wrap(void **state) {
  (void)state;
  size_t skip;
  assert_int_equal(cells_rows("", 10), 0);
  assert_int_equal(cells_rows("one\ntwo", 10), 2);
  assert_int_equal(cells_rows("a barrier is missing", 10), 2);
  assert_int_equal(cells_wrap("a barrier is", 10, &skip), 9);
  assert_int_equal(skip, 1);
  assert_int_equal(cells_wrap("abcdefghijklm", 10, &skip), 10); // one long word
  assert_int_equal(cells_wrap("  abcdefghijklm", 10, &skip), 10);
  assert_int_equal(cells_wrap("größer", 6, &skip), 8);
  assert_int_equal(cells_rows("anything", 0), 8); // no room: a character a row
}

static struct layout lay(int columns, int rows, enum panel chosen,
                         int finding) {
  struct layout_want w = {.rows = rows,
                          .columns = columns,
                          .finding = finding,
                          .panel = {0, 4, 6, 5, 30},
                          .chosen = chosen};
  struct layout out;
  layout_make(&w, &out);
  return out;
}

// On every size no panel leaves the screen, none lies on another, and the source
// keeps its lines.
static void test_layout(void **state) {
  (void)state;
  for (int columns = 60; columns <= 200; columns += 7)
    for (int rows = 16; rows <= 60; rows++)
      for (int chosen = 0; chosen < PANELS; chosen++) {
        struct layout l = lay(columns, rows, (enum panel)chosen, 9);
        char taken[60][200] = {{0}};
        assert_true(l.panel[PANEL_SOURCE].rows >= 5);
        for (int p = -1; p < PANELS; p++) {
          struct layout_box b = p < 0 ? l.finding : l.panel[p];
          assert_true(b.rows >= 0 && b.columns >= 0);
          for (int r = b.row; r < b.row + b.rows; r++)
            for (int c = b.column; c < b.column + b.columns; c++) {
              assert_in_range(r, 1, rows - 3); // title, message, keys
              assert_in_range(c, 0, columns - 1);
              assert_int_equal(taken[r][c]++, 0);
            }
        }
        if (chosen != PANEL_SOURCE)
          assert_true(l.panel[chosen].rows >= 2);
      }
}

static void test_layout_of_sizes(void **state) {
  (void)state;
  struct layout l = lay(60, 16, PANEL_VALUES, 0);
  assert_true(l.is_narrow);
  assert_int_equal(l.panel[PANEL_VALUES].rows, 6);
  assert_int_equal(l.panel[PANEL_LANES].rows, 0);
  l = lay(80, 24, PANEL_LANES, 0);
  assert_false(l.is_narrow);
  for (int p = 0; p < PANELS; p++)
    assert_true(l.panel[p].rows > 0);
  struct layout shared = lay(80, 24, PANEL_SHARED, 0); // more room
  assert_true(shared.panel[PANEL_SHARED].rows > l.panel[PANEL_SHARED].rows);
}

int main(void) {
  setlocale(LC_CTYPE, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_survey), cmocka_unit_test(test_survey_cut_short),
      cmocka_unit_test(test_lanes),  cmocka_unit_test(test_grid),
      cmocka_unit_test(test_split),  cmocka_unit_test(test_wrap),
      cmocka_unit_test(test_layout), cmocka_unit_test(test_layout_of_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

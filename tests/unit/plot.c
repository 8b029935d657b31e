// SPDX-License-Identifier: Apache-2.0
// repl/plot: arrays as pictures, compared as text, and as sentences.
#include "repl/plot/plot.h"
#include "repl/plot/axis.h"
#include "repl/plot/paint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct canvas small = {.columns = 24, .rows = 7};
static const struct canvas ascii = {.columns = 24, .rows = 7, .is_ascii = true};

// What one of the functions adds.
#define EXPECT(call, expected)                                                 \
  do {                                                                         \
    struct str out = STR_INIT;                                                 \
    call;                                                                      \
    assert_string_equal(out.data, expected);                                   \
    str_free(&out);                                                            \
  } while (0)

#define EXPECT_HOLDS(call, part)                                               \
  do {                                                                         \
    struct str out = STR_INIT;                                                 \
    call;                                                                      \
    if (!strstr(out.data, part))                                               \
      fail_msg("no \"%s\" in:\n%s", part, out.data);                           \
    str_free(&out);                                                            \
  } while (0)

// ---- Ranges and ticks ----

static void ranges(void **state) {
  (void)state;
  struct range r = {0};
  range_add(&r, NAN);
  range_add(&r, -INFINITY);
  range_add(&r, 3);
  range_add(&r, -1);
  assert_true(r.low == -1 && r.high == 3 && r.count == 2);
  assert_int_equal(r.nans, 1);
  assert_int_equal(r.infinite, 1);
  assert_true(range_place(&r, 1) == 0.5);
  struct range wide = {-1.7e308, 1.7e308, 2, 0, 0};
  assert_true(range_place(&wide, 0) == 0.5);
  struct range one = {5, 5, 1, 0, 0};
  range_widen(&one);
  assert_true(range_place(&one, 5) == 0.5);
}

static void expect_ticks(double low, double high, int most, const char *all) {
  struct range r = {low, high, 2, 0, 0};
  struct ticks t = ticks_of(&r, most, 0);
  struct str out = STR_INIT;
  str_add(&out, "");
  for (int64_t i = t.first; i <= t.last; i++) {
    char text[TICK_TEXT];
    tick_text(&t, i, text);
    str_addf(&out, " %s", text);
  }
  assert_string_equal(out.data, all);
  assert_true(r.low <= low && r.high >= high);
  str_free(&out);
}

static void ticks(void **state) {
  (void)state;
  expect_ticks(0, 10, 6, " 0 2 4 6 8 10");
  expect_ticks(-0.999, 0.998, 6,
               " -1.0 -0.5 0.0 0.5 1.0"); // ends that nearly are
  expect_ticks(0.1, 0.4, 4, " 0.1 0.2 0.3 0.4");
  expect_ticks(1e30, 2e30, 3, " 1e+30 1.5e+30 2e+30");
  expect_ticks(1e9, 1e9 + 4, 3, " 1000000000 1000000002 1000000004");
  expect_ticks(-1.7e308, 1.7e308, 2, ""); // no double is such a step
  expect_ticks(1e20, 1.0000000000000001e20, 5, "");
}

// ---- Charts ----

static const double climb[] = {0, 1, 2, 3, 4}, fall[] = {4, 3, 2, 1, 0};

static void lines(void **state) {
  (void)state;
  struct chart c = {{{"y", NULL, climb, 5}}, 1, NULL, false};
  EXPECT(chart_draw(&c, &ascii, &out), "4 +                  ***\n"
                                       "  |             *****\n"
                                       "2 +        *****\n"
                                       "  |   *****\n"
                                       "0 +***\n"
                                       "  ++---------+---------+\n"
                                       "   0         2         4\n");
  EXPECT(chart_draw(&c, &small, &out), "4 ┤                 ⣀⠤⠒⠉\n"
                                       "  │            ⢀⣀⠤⠒⠉\n"
                                       "2 ┤        ⣀⠤⠒⠊⠁\n"
                                       "  │   ⢀⡠⠤⠒⠉\n"
                                       "0 ┤⡠⠔⠊⠁\n"
                                       "  └┬─────────┬─────────┬\n"
                                       "   0         2         4\n");
  EXPECT(chart_caption(&c, &small, &out), "y over its index");
}

// Told apart without colour, too.
static void several(void **state) {
  (void)state;
  struct chart c = {
      {{"up", NULL, climb, 5}, {"down", NULL, fall, 5}}, 2, NULL, false};
  EXPECT_HOLDS(chart_draw(&c, &ascii, &out), "4 ++++               ***\n");
  EXPECT_HOLDS(chart_draw(&c, &small, &out), "B");
  EXPECT_HOLDS(chart_draw(&c, &small, &out), "A");
  EXPECT(chart_caption(&c, &small, &out), "A up   B down over their index");
  EXPECT(chart_caption(&c, &ascii, &out), "* up   + down over their index");
  struct canvas coloured = small;
  coloured.colour = PICTURE_16;
  EXPECT_HOLDS(chart_caption(&c, &coloured, &out), "\033[36mA \033[0mup");
  struct str out = STR_INIT;
  // Each row ends in the terminal's own colour, that of the next label.
  chart_draw(&c, &coloured, &out);
  for (const char *row = out.data; *row; row += strcspn(row, "\n") + 1) {
    const char *end = row + strcspn(row, "\n"), *last = NULL;
    for (const char *at = row; at < end; at++)
      last = *at == '\033' ? at : last;
    if (last && strncmp(last, "\033[0m", 4))
      fail_msg("%s", out.data);
  }
  str_free(&out);
}

static void what_is_not_finite(void **state) {
  (void)state;
  const double y[] = {0, 4, NAN, 4, INFINITY, 0, 2};
  struct chart c = {{{"y", NULL, y, 7}}, 1, NULL, false};
  EXPECT(chart_caption(&c, &small, &out),
         "y over its index · 1 NaN left out · 1 infinite left out");
  EXPECT(chart_draw(&c, &ascii, &out),
         "4 +   *      *\n" // no line over the gaps
         "  |  *\n"
         "2 +  *                 *\n"
         "  | *                **\n"
         "0 +*                *\n"
         "  ++----------------+---\n"
         "   0                5\n");
  const double none[] = {NAN, NAN};
  struct chart empty = {{{"y", NULL, none, 2}}, 1, NULL, false};
  EXPECT_HOLDS(chart_draw(&empty, &ascii, &out), "0.0 +\n");
}

static void over_x(void **state) {
  (void)state;
  const double x[] = {0, 10, 5};
  assert_true(chart_rises(climb, 5));
  assert_false(chart_rises(x, 3));
  assert_false(chart_rises(fall, 5));
  assert_false(chart_rises(climb, 1));
  const double squares[] = {0, 1, 4, 9}, same[] = {1, 1, 1};
  const double floats[] = {0, 0.1f, 0.2f, 0.3f}, holes[] = {0, NAN, 2};
  assert_true(chart_is_even(climb, 5));
  assert_true(chart_is_even(floats, 4));
  assert_false(chart_is_even(fall, 5));
  assert_false(chart_is_even(squares, 4));
  assert_false(chart_is_even(same, 3));
  assert_false(chart_is_even(holes, 3));
  struct chart c = {{{"y", x, climb, 3}}, 1, "x", true};
  EXPECT(chart_draw(&c, &ascii, &out), "2 +          *\n"
                                       "  |\n"
                                       "1 +                    *\n"
                                       "  |\n"
                                       "0 +*\n"
                                       "  ++---------+---------+\n"
                                       "   0         5        10\n");
  EXPECT(chart_caption(&c, &small, &out), "y over x");
}

// A million values in twenty columns, each of which shows the outlier in it.
static void many(void **state) {
  (void)state;
  enum { COUNT = 1000000 };
  double *y = calloc(COUNT, sizeof *y);
  assert_non_null(y);
  y[COUNT / 2] = 1;
  struct chart c = {{{"y", NULL, y, COUNT}}, 1, NULL, false};
  EXPECT_HOLDS(chart_draw(&c, &ascii, &out), "1.0 +         *\n");
  EXPECT_HOLDS(chart_draw(&c, &ascii, &out), "0.0 +*******************\n");
  free(y);
}

static void charts_as_sentences(void **state) {
  (void)state;
  struct chart c = {{{"y", NULL, climb, 5}}, 1, NULL, false};
  EXPECT(chart_say(&c, &out),
         "y: 5 values over its index: smallest 0 at 0, largest 4 at 4, mean 2. "
         "It rises all the way, from 0 at 0 to 4 at 4.\n");
  const double wave[] = {0, 5, 10, 5, 0, -10, 0, NAN};
  struct chart w = {{{"w", NULL, wave, 8}}, 1, NULL, false};
  EXPECT(chart_say(&w, &out),
         "w: 8 values over its index, 1 NaN left out: smallest -10 at 5, "
         "largest 10 at 2, mean 1.42857. It rises from 0 at 0 to 10 at 2, "
         "falls to -10 at 5, rises to 0 at 6.\n");
  double saw[40];
  for (int i = 0; i < 40; i++)
    saw[i] = i % 2;
  struct chart s = {{{"s", NULL, saw, 40}}, 1, NULL, false};
  EXPECT_HOLDS(chart_say(&s, &out), "It turns 38 times");
  const double same[] = {7, 7, 7};
  struct chart flat = {{{"f", NULL, same, 3}}, 1, NULL, false};
  EXPECT(chart_say(&flat, &out), "f: 3 values over its index: all are 7.\n");
  const double huge[] = {1e308, 1.5e308, 1.7e308};
  struct chart h = {{{"h", NULL, huge, 3}}, 1, NULL, false};
  EXPECT_HOLDS(chart_say(&h, &out), "mean 1.4e+308");
  struct chart points = {{{"y", climb, fall, 5}}, 1, "x", true};
  EXPECT(chart_say(&points, &out), "y: 5 values over x: smallest 0 at 4, "
                                   "largest 4 at 0, mean 2.\n");
}

// ---- Images ----

static void images(void **state) {
  (void)state;
  const double at[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  struct pixels p = {"a", at, 4, 4, 1, 1};
  struct canvas on = {.columns = 4, .rows = 2};
  EXPECT(pixels_draw(&p, &on, &out), ".::-\n*##%\n");
  EXPECT(pixels_caption(&p, &on, &out),
         "a, 4 rows x 4 columns · black is 0, white is 15");
  on.columns = 2, on.rows = 1;
  EXPECT(pixels_draw(&p, &on, &out), "=+\n");
  EXPECT(pixels_caption(&p, &on, &out),
         "a, 4 rows x 4 columns · black is 0, white is 15 · a pixel is the "
         "mean of 2 x 2");
  on = (struct canvas){.columns = 40, .rows = 4}; // enlarged
  EXPECT(pixels_draw(&p, &on, &out),
         "  ....::\n::--====\n++++**##\n##%%%%@@\n");
}

static void images_in_colour(void **state) {
  (void)state;
  const double at[] = {0, 1, 1, 0};
  struct pixels p = {"a", at, 2, 2, 1, 1};
  struct canvas on = {.columns = 2, .rows = 1, .colour = PICTURE_TRUE};
  EXPECT(pixels_draw(&p, &on, &out),
         "\033[38;2;0;0;0m\033[48;2;255;255;255m▀"
         "\033[38;2;255;255;255m\033[48;2;0;0;0m▀\033[0m\n");
  on.colour = PICTURE_256;
  EXPECT(pixels_draw(&p, &on, &out), "\033[38;5;16m\033[48;5;231m▀"
                                     "\033[38;5;231m\033[48;5;16m▀\033[0m\n");
  on.colour = PICTURE_16;
  EXPECT(pixels_draw(&p, &on, &out),
         "\033[30m\033[107m▀\033[97m\033[40m▀\033[0m\n");
  on.is_ascii = true;
  EXPECT(pixels_draw(&p, &on, &out), "==\n");
  const double red[] = {255, 0, 0, 300, 0, 0};
  struct pixels rgb = {"c", red, 1, 2, 3, 255};
  on = (struct canvas){.columns = 2, .rows = 1, .colour = PICTURE_TRUE};
  EXPECT(pixels_draw(&rgb, &on, &out), "\033[38;2;255;0;0m▀▀\033[0m\n");
  EXPECT(pixels_caption(&rgb, &on, &out),
         "c, 1 rows x 2 columns · colours from 0 to 255, cut off there: it has "
         "0 to 300");
}

static void images_with_holes(void **state) {
  (void)state;
  const double at[] = {NAN, 1, 0, INFINITY};
  struct pixels p = {"a", at, 2, 2, 1, 1};
  struct canvas on = {.columns = 2, .rows = 1, .colour = PICTURE_16};
  EXPECT(pixels_draw(&p, &on, &out), "??\n");
  EXPECT(pixels_caption(&p, &on, &out),
         "a, 2 rows x 2 columns · black is 0, white is 1 · 1 NaN · 1 infinite "
         "(shown as ?)");
}

static void images_as_sentences(void **state) {
  (void)state;
  const double at[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  struct pixels p = {"a", at, 3, 3, 1, 1};
  EXPECT(pixels_say(&p, &out),
         "a: 3 rows x 3 columns. Smallest 1 at row 0, column 0, largest 9 at "
         "row 2, column 2, mean 5. Means of its parts, from the left to the "
         "right: at the top 1, 2, 3; in the middle 4, 5, 6; at the bottom 7, "
         "8, 9.\n");
  struct pixels rgb = {"c", at, 1, 3, 3, 1};
  EXPECT_HOLDS(pixels_say(&rgb, &out), "largest 9 at row 0, column 2 (blue)");
}

static void nearest_colours(void **state) {
  (void)state;
  assert_int_equal(paint_nearest(0xff0000, true), 196);
  assert_int_equal(paint_nearest(0x808080, true), 244);
  assert_int_equal(paint_nearest(0x5f87af, true), 67);
  assert_int_equal(paint_nearest(0x000000, false), 0);
  assert_int_equal(paint_nearest(0xffffff, false), 15);
  assert_int_equal(paint_nearest(0x00cdcd, false), 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges),
      cmocka_unit_test(ticks),
      cmocka_unit_test(lines),
      cmocka_unit_test(several),
      cmocka_unit_test(what_is_not_finite),
      cmocka_unit_test(over_x),
      cmocka_unit_test(many),
      cmocka_unit_test(charts_as_sentences),
      cmocka_unit_test(images),
      cmocka_unit_test(images_in_colour),
      cmocka_unit_test(images_with_holes),
      cmocka_unit_test(images_as_sentences),
      cmocka_unit_test(nearest_colours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// A race in words: two columns that fit, sentences, and nothing that is not known.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "repl/command/race.h"
#include "repl/tui/screen.h"

static const struct race shared_race = {
    .file = "sums.cu",
    .function = "sums",
    .cell = "part[4]",
    .space = "shared",
    .why = "A barrier is missing.",
    .side = {{.line = 7,
              .text = "  part[threadIdx.x] = v;",
              .access = "write",
              .value = "10.5",
              .thread = {36, 0, 0},
              .warp = 1},
             {.line = 8,
              .text = "  out[i] = part[threadIdx.x] + part[(threadIdx.x + 4) % "
                      "64]; // größer",
              .access = "read",
              .value = "",
              .thread = {0, 0, 0},
              .warp = 0}}};

static char *text_of(const struct race *r, int columns) {
  static struct str out;
  str_clear(&out);
  race_add(&out, r, columns);
  return out.data;
}

static void has(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("\"%s\" is not in\n%s", part, text);
}

static void lacks(const char *text, const char *part) {
  if (strstr(text, part))
    fail_msg("\"%s\" is in\n%s", part, text);
}

static void test_columns(void **state) {
  (void)state;
  const char *text = text_of(&shared_race, 60);
  assert_true(str_starts(
      text, "Race on part[4] (shared) in sums, sums.cu, block (0,0,0)\n"
            "  thread (36,0,0), warp 1     │ thread (0,0,0), warp 0\n"
            "  ────────────────────────────┼───────────"));
  has(text, "\n  writes part[4] = 10.5       │ reads part[4]\n"
            "    7 | part[threadIdx.x] = v;                        writes\n"
            "    8 | out[i] = part[threadIdx.x] + part[(threadIdx.x reads\n"
            "      | + 4) % 64]; // größer\n");
  has(text, "Both are in the same interval between two barriers");
  has(text, "A barrier is missing.\n");
}

// Time goes down, and says what the order made of it.
static void test_what_came_first(void **state) {
  (void)state;
  struct race r = shared_race;
  r.side[1].value = "3";
  r.first = 1;
  const char *text = text_of(&r, 60);
  has(text, "\n  1. writes part[4] = 10.5    │\n"
            "                              │ 2. reads part[4]: 3\n");
  has(text, "In this run the write came first, and 3 was read.");
  r.first = 2;
  text = text_of(&r, 60);
  has(text, "\n                              │ 1. reads part[4]: 3\n"
            "  2. writes part[4] = 10.5    │\n");
  has(text, "the read came first, and got 3. The other way round it would be "
            "10.5.");
  r.side[1].access = "write";
  has(text_of(&r, 0), "In this run 3 came first, and 10.5 took its place. The "
                      "other way round 3 stays.");
  r.first = 0;
  has(text_of(&r, 60), "whether 10.5 or 3 stays there is luck");
  r.side[1].value = "";
  lacks(text_of(&r, 60), "stays");
  r.first = 1;
  r.is_ascii = true;
  text = text_of(&r, 60);
  for (const char *c = text; c < strstr(text, "    8 |");
       c++) // all of the source
    assert_true(*c > 0);
  has(text, "\n  1. writes part[4] = 10.5    |\n");
}

// Whichever of the two it is that writes.
static void test_a_read_beside_a_write(void **state) {
  (void)state;
  struct race r = shared_race;
  r.side[0].access = "read";
  r.side[1].access = "write";
  r.side[0].value = "3";
  r.side[1].value = "10.5";
  r.first = 2;
  has(text_of(&r, 0), "the write came first, and 3 was read.");
  r.first = 1;
  has(text_of(&r, 0), "the read came first, and got 3. The other way round it "
                      "would be 10.5.");
  lacks(text_of(&r, 0), "stays");
}

// Each row on each width.
static void test_rows_fit(void **state) {
  (void)state;
  for (int columns = 40; columns <= 120; columns++) {
    const char *text = text_of(&shared_race, columns);
    int rows = 0;
    for (const char *l = text; *l; l += strcspn(l, "\n") + 1) {
      size_t n = strcspn(l, "\n");
      bool is_row = !strncmp(l, "  ", 2);
      rows += is_row;
      assert_true(!is_row || screen_width_of(l, n) <= columns);
    }
    assert_true(rows >= 5 && (rows == 5 || columns < 90));
    has(text, "größer"); // to its end
  }
}

// At a blank in the right half of the room, or else where the room ends.
static void test_where_a_line_breaks(void **state) {
  (void)state;
  enum { LONG = 200 };
  char source[LONG + 1], first[LONG + 1];
  struct race r = shared_race;
  r.side[0].text = source;
  memset(source, 'a', LONG);
  source[LONG] = 0;
  int room = (int)strspn(strstr(text_of(&r, 60), "| aa") + 2, "a");
  assert_in_range(room, 10, LONG / 2);
  for (int blank = 1; blank < room; blank++) {
    source[blank] = ' ';
    int n = blank >= room / 2 ? blank : room;
    snprintf(first, sizeof first, "| %.*s", n, source);
    const char *row = strstr(text_of(&r, 60), "    7 | ") + 6;
    assert_memory_equal(row, first, strlen(first));
    assert_int_equal(row[strlen(first)], ' ');
    source[blank] = 'a';
  }
}

static void test_orders(void **state) {
  (void)state;
  struct race r = shared_race;
  r.side[0].warp = r.side[1].warp;
  has(text_of(&r, 80), "no __syncwarp() for threads of one warp");
  r.side[0].warp = -1; // not known: nothing is said of warps
  lacks(text_of(&r, 80), "syncwarp");
  has(text_of(&r, 80), "no __syncthreads()");
  r.interval = 1;
  has(text_of(&r, 80), "Both come before the first barrier of the block,");
  r.interval = 4;
  has(text_of(&r, 80), "Both come after barrier 3 that the block passed");
  r.side[0].block[0] = 3;
  has(text_of(&r, 80), "They are of different blocks");
  has(text_of(&r, 80),
      "\n  block (3,0,0)                         │ block (0,0,0)\n");
  lacks(text_of(&r, 80), "Both");
  r.space = "texture"; // a barrier would not help
  lacks(text_of(&r, 80), "Between them");
}

static void test_unknown_is_left_out(void **state) {
  (void)state;
  struct race r = {
      .file = "",
      .function = "",
      .cell = "",
      .space = "global",
      .why = "",
      .side = {{.text = "", .access = "write", .value = "", .warp = -1},
               {.text = "", .access = "atomic", .value = "", .warp = -1}}};
  const char *text = text_of(&r, 80);
  assert_true(
      str_starts(text, "Race on the same place (global), block (0,0,0)\n"));
  has(text, "│ updates with an atomic the same place\n");
  lacks(text, "line");
  lacks(text, "warp ");
  lacks(text_of(&r, 0), "line");
}

static void test_sentences(void **state) {
  (void)state;
  const char *text = text_of(&shared_race, 0);
  has(text, "Race on part[4] (shared) in sums, sums.cu, block (0,0,0).\n"
            "Thread (36,0,0) of block (0,0,0), in warp 1, writes part[4] "
            "(value 10.5 in this run) in line 7: part[threadIdx.x] = v;\n"
            "Thread (0,0,0) of block (0,0,0), in warp 0, reads part[4] in "
            "line 8: out[i]");
  lacks(text, "│");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_what_came_first),
      cmocka_unit_test(test_a_read_beside_a_write),
      cmocka_unit_test(test_rows_fit),
      cmocka_unit_test(test_where_a_line_breaks),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_unknown_is_left_out),
      cmocka_unit_test(test_sentences),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}

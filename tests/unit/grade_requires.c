// SPDX-License-Identifier: Apache-2.0
// grade/judge/requires.h: what is asked of which blocks, and when the solution's
// launches need not be known.
#include "grade/judge/requires.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "grade/exercise/exercise.h"

enum { CASES = 2, BLOCKS = 4, UNKNOWN = -1 };

// Of a case: how many threads of each block load something for the result. The first
// -1 ends the list; one that begins with it is not known.
typedef int blocks[BLOCKS];

static struct gpu_block_place places[2][CASES][BLOCKS];
static struct run_trace launches[2][CASES];

static struct requires_case followed(int whose, int n, const blocks threads) {
  struct run_trace *t = &launches[whose][n];
  *t = (struct run_trace){.grid = {BLOCKS, 1, 1}, .places = places[whose][n]};
  for (; t->placed < BLOCKS && threads[t->placed] != UNKNOWN; t->placed++)
    t->places[t->placed] = (struct gpu_block_place){
        .block = t->placed, .threads = (uint32_t)threads[t->placed]};
  return (struct requires_case){t->placed > 0, t->placed > 0, t};
}

static const struct row {
  blocks mine[CASES], own[CASES];
  bool is_open[CASES], is_met;
  enum verdict_kind verdict; // by what is known
} rows[] = {
    // All blocks meet it: the solution is not asked.
    {{{64, 64, -1}, {70, -1}},
     {{-1}, {-1}},
     {false, false},
     true,
     VERDICT_PASS},
    // The last block has less to do, as the solution's has.
    {{{64, 1, -1}, {64, -1}},
     {{64, 1, -1}, {-1}},
     {true, false},
     true,
     VERDICT_PASS},
    // One thread does what the solution's 64 do.
    {{{64, 1, -1}, {64, -1}},
     {{64, 64, -1}, {-1}},
     {true, false},
     false,
     VERDICT_FAIL},
    // The busiest block of the first case is none of all: by that alone, one would
    // say that it is broken.
    {{{10, -1}, {64, -1}},
     {{32, -1}, {-1}},
     {true, false},
     false,
     VERDICT_FAIL},
    {{{10, -1}, {64, -1}},
     {{32, -1}, {64, -1}},
     {true, false},
     true,
     VERDICT_PASS},
    // Nothing was launched.
    {{{-1}, {-1}}, {{-1}, {-1}}, {false, false}, true, VERDICT_NOT_RUN},
};

static void try_row(const struct row *row) {
  struct requirement r = {.text = "min_threads = 64",
                          .row = REQUIRE_MIN_THREADS,
                          .number = 64,
                          .kernel = -1};
  struct exercise ex = {.case_count = CASES,
                        .kernel_count = 1,
                        .require_count = 1,
                        .requires = &r};
  struct requires_case mine[CASES], own[CASES];
  for (int i = 0; i < CASES; i++) {
    mine[i] = followed(0, i, row->mine[i]);
    own[i] = followed(1, i, row->own[i]);
    assert_int_equal(requires_are_open(&ex, &mine[i]), row->is_open[i]);
  }
  assert_int_equal(requires_are_met(&ex, mine, own), row->is_met);
  struct verdict *v = verdict_new("e", "e.cu", "virtual:0");
  v->case_count = CASES;
  v->cases = xcalloc(CASES, sizeof *v->cases);
  for (int i = 0; i < CASES; i++)
    v->cases[i].name = xstrdup("a case");
  requires_judge(v, &ex, mine, own);
  assert_int_equal(v->rule_count, 1);
  assert_int_equal(v->rules[0].verdict, row->verdict);
  verdict_free(v);
}

static void blocks_that_are_asked(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
    try_row(&rows[n]);
}

// Another kernel's launches say nothing of this one's.
static void another_kernel(void **state) {
  (void)state;
  struct requirement r = {
      .row = REQUIRE_MIN_THREADS, .number = 64, .kernel = 1};
  struct exercise ex = {
      .case_count = 1, .kernel_count = 2, .require_count = 1, .requires = &r};
  struct requires_case mine = followed(0, 0, (blocks){1, -1});
  assert_false(requires_are_open(&ex, &mine));
  launches[0][0].kernel = 1;
  assert_true(requires_are_open(&ex, &mine));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_that_are_asked),
      cmocka_unit_test(another_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

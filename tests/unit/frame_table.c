// SPDX-License-Identifier: Apache-2.0
// lua/bind/frame/table: dictionaries, groups, aggregations, joins, numbers. The
// values of aggregations are pandas'.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lua/bind/frame/table/table.h"

// ---- Texts ----

static void texts_are_kept_once(void **state) {
  (void)state;
  struct texts *t = texts_new();
  char name[32];
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 5000; i++) {
      int n = snprintf(name, sizeof name, "text %d", i * 7919 % 5000);
      assert_int_equal(texts_add(t, name, (size_t)n), i);
    }
  assert_int_equal(texts_count(t), 5000);
  size_t n;
  assert_memory_equal(texts_get(t, 1, &n), "text 2919", 9);
  assert_int_equal(n, 9);
  assert_int_equal(texts_find(t, "text 2919", 9), 1);
  assert_int_equal(texts_find(t, "text", 4), -1);
  assert_int_equal(texts_add(t, "", 0), 5000);
  assert_int_equal(texts_find(t, "", 0), 5000);
  assert_int_equal(texts_add(t, "a\0b", 3), 5001);
  assert_int_equal(texts_find(t, "a", 1), -1);
  texts_free(t);
}

// Added without a look, and looked for: the first of equal ones is found.
static void texts_are_appended(void **state) {
  (void)state;
  struct texts *t = texts_new();
  char name[24];
  assert_int_equal(texts_add(t, "a", 1), 0);
  for (int i = 1; i < 500; i++) {
    int n = sprintf(name, "text %d", i % 100);
    assert_int_equal(texts_append(t, name, (size_t)n, texts_hash(name, n)), i);
  }
  assert_int_equal(texts_find(t, "text 7", 6), 7);
  assert_int_equal(texts_add(t, "text 99", 7), 99);
  assert_int_equal(texts_add(t, "b", 1), 500);
  assert_int_equal(texts_append(t, "b", 1, texts_hash("b", 1)), 501);
  assert_int_equal(texts_find(t, "b", 1), 500);
  assert_int_equal(texts_find(t, "c", 1), -1);
  texts_free(t);
}

static void texts_are_ordered(void **state) {
  (void)state;
  static const char *const in[] = {"b",  "",         "abcdefghij", "\xc3\xa4",
                                   "ab", "abcdefgh", "abcdefghi",  "a"};
  static const int32_t want[] = {6, 0, 5, 7, 2, 3, 4, 1};
  struct texts *t = texts_new();
  for (size_t i = 0; i < 8; i++)
    texts_add(t, in[i], strlen(in[i]));
  int32_t rank[8];
  assert_int_equal(texts_ranks(t, rank), ERR_OK);
  assert_memory_equal(rank, want, sizeof want);
  texts_free(t);
}

// ---- Groups ----

enum { N = 4000 };

static void find(const uint64_t *words, const uint8_t *missing, bool keep,
                 const int32_t *want, int n) {
  int32_t codes[8], first[8], count;
  struct group_keys k = {words, missing, n, keep};
  assert_int_equal(groups_find(&k, codes, first, &count), ERR_OK);
  assert_memory_equal(codes, want, (size_t)n * sizeof *want);
}

static void groups_are_numbered(void **state) {
  (void)state;
  static const uint8_t missing[] = {0, 1, 0, 0, 1};
  static const int32_t left_out[] = {0, -1, 1, 0, -1};
  static const int32_t kept[] = {0, 1, 2, 0, 1};
  // Close together, and far: a negative and a large one.
  find((uint64_t[]){7, 7, 5, 7, 0}, missing, false, left_out, 5);
  find((uint64_t[]){7, 7, 5, 7, 0}, missing, true, kept, 5);
  find((uint64_t[]){1ull << 63, 0, 1ull << 62, 1ull << 63, 0}, missing, false,
       left_out, 5);
  find((uint64_t[]){1ull << 63, 0, 1ull << 62, 1ull << 63, 0}, missing, true,
       kept, 5);
}

static void many_groups_grow_the_table(void **state) {
  (void)state;
  static uint64_t words[N];
  static int32_t codes[N], first[N];
  int32_t count;
  for (int i = 0; i < N; i++)
    words[i] = (uint64_t)(i % 1500) * 0x123456789abcull;
  struct group_keys k = {words, NULL, N, false};
  assert_int_equal(groups_find(&k, codes, first, &count), ERR_OK);
  assert_int_equal(count, 1500);
  for (int i = 0; i < N; i++)
    assert_int_equal(codes[i], i % 1500);
  assert_int_equal(first[1499], 1499);
}

// ---- Aggregations ----

static const int32_t codes[] = {0, 1, 0, 1, -1, 0, 2, 0};
static const double floats[] = {1.5, NAN, -2, 4, 9, 3, NAN, 0.25};
static const int64_t integers[] = {1, 2, -2, 4, 9, 3, 7, 5};
static const struct aggregate of_floats = {codes, floats, NULL, 8, 3, 1};
static const struct aggregate of_integers = {codes, NULL, integers, 8, 3, 1};

static void expect(const double *got, const double *want) {
  for (int g = 0; g < 3; g++)
    if (want[g] != want[g])
      assert_true(got[g] != got[g]);
    else
      assert_true(fabs(got[g] - want[g]) < 1e-14);
}

static void aggregations_of_floats(void **state) {
  (void)state;
  double out[3];
  aggregate_sum(&of_floats, out);
  expect(out, (double[]){2.75, 4, 0});
  aggregate_mean(&of_floats, out);
  expect(out, (double[]){0.6875, 4, NAN});
  aggregate_var(&of_floats, out);
  expect(out, (double[]){4.473958333333333, NAN, NAN});
  aggregate_median(&of_floats, out);
  expect(out, (double[]){0.875, 4, NAN});
  aggregate_extreme(&of_floats, true, out);
  expect(out, (double[]){3, 4, NAN});
  aggregate_extreme(&of_floats, false, out);
  expect(out, (double[]){-2, 4, NAN});
}

static void aggregations_of_integers(void **state) {
  (void)state;
  double out[3];
  int64_t whole[3];
  aggregate_sum_integers(&of_integers, whole);
  assert_memory_equal(whole, ((int64_t[]){7, 6, 7}), sizeof whole);
  aggregate_extreme_integers(&of_integers, false, whole);
  assert_memory_equal(whole, ((int64_t[]){-2, 2, 7}), sizeof whole);
  aggregate_mean(&of_integers, out);
  expect(out, (double[]){1.75, 3, 7});
  aggregate_median(&of_integers, out);
  expect(out, (double[]){2, 3, 7});
}

static void counts_and_ends(void **state) {
  (void)state;
  int64_t out[3];
  aggregate_size(&of_floats, out);
  assert_memory_equal(out, ((int64_t[]){4, 2, 1}), sizeof out);
  aggregate_count(&of_floats, out);
  assert_memory_equal(out, ((int64_t[]){4, 1, 0}), sizeof out);
  aggregate_end(&of_floats, false, out);
  assert_memory_equal(out, ((int64_t[]){0, 3, -1}), sizeof out);
  aggregate_end(&of_floats, true, out);
  assert_memory_equal(out, ((int64_t[]){7, 3, -1}), sizeof out);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Against a sort, with many equal values.
static void medians_of_many(void **state) {
  (void)state;
  static double values[N], sorted[N];
  static int32_t one[N];
  uint32_t seed = 1;
  for (int n = 1; n < 200; n++) {
    for (int i = 0; i < n; i++)
      sorted[i] = values[i] = (seed = seed * 1664525 + 1013904223) >> 29;
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    struct aggregate a = {one, values, NULL, n, 1, 1};
    double got;
    aggregate_median(&a, &got);
    assert_true(got == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
  }
}

// 1 and many that each vanish beside it: the plain sum would stay 1.
static void sums_carry_rounding_along(void **state) {
  (void)state;
  static double values[N];
  static int32_t one[N];
  values[0] = 1;
  for (int i = 1; i < N; i++)
    values[i] = 1e-17;
  double got;
  aggregate_sum(&(struct aggregate){one, values, NULL, N, 1, 1}, &got);
  assert_true(fabs(got - (1 + (N - 1) * 1e-17)) < 1e-16 && got > 1);
}

// ---- Joins ----

static void meet(enum join_how how, const int64_t *left, const int64_t *right,
                 int64_t count) {
  static const int32_t l[] = {0, 1, 1, 2}, r[] = {1, 3, 1},
                       order[] = {3, 2, 1, 0};
  struct join j = {.left = l,
                   .right = r,
                   .order = order,
                   .left_n = 4,
                   .right_n = 3,
                   .codes = 4,
                   .how = how};
  int64_t rows, a[8], b[8];
  assert_int_equal(join_open(&j, &rows), ERR_OK);
  assert_int_equal(rows, count);
  join_fill(&j, a, b);
  join_close(&j);
  assert_memory_equal(a, left, (size_t)count * sizeof *left);
  assert_memory_equal(b, right, (size_t)count * sizeof *right);
}

static void joins(void **state) {
  (void)state;
  meet(JOIN_INNER, (int64_t[]){1, 1, 2, 2}, (int64_t[]){0, 2, 0, 2}, 4);
  meet(JOIN_LEFT, (int64_t[]){0, 1, 1, 2, 2, 3},
       (int64_t[]){-1, 0, 2, 0, 2, -1}, 6);
  meet(JOIN_OUTER, (int64_t[]){-1, 3, 1, 1, 2, 2, 0},
       (int64_t[]){1, -1, 0, 2, 0, 2, -1}, 7);
}

// ---- Numbers ----

static void numbers_are_pythons(void **state) {
  (void)state;
  static const struct {
    double v;
    const char *text;
  } rows[] = {
      {1, "1.0"},
      {0.1, "0.1"},
      {-0.0, "-0.0"},
      {1e16, "1e+16"},
      {1e15, "1000000000000000.0"},
      {1e-4, "0.0001"},
      {1e-5, "1e-05"},
      {12.5, "12.5"},
      {1.0 / 3, "0.3333333333333333"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {123456.789, "123456.789"},
      {-2.5e-7, "-2.5e-07"},
      {INFINITY, "inf"},
      {0.30000000000000004, "0.30000000000000004"},
      {-1.2345678901234567e-4, "-0.00012345678901234567"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[NUMBER_TEXT];
    text[number_write(rows[i].v, false, text)] = 0;
    assert_string_equal(text, rows[i].text);
  }
  char text[NUMBER_TEXT];
  text[number_write((double)0.1f, true, text)] = 0;
  assert_string_equal(text, "0.1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_kept_once),
      cmocka_unit_test(texts_are_appended),
      cmocka_unit_test(texts_are_ordered),
      cmocka_unit_test(groups_are_numbered),
      cmocka_unit_test(many_groups_grow_the_table),
      cmocka_unit_test(aggregations_of_floats),
      cmocka_unit_test(aggregations_of_integers),
      cmocka_unit_test(counts_and_ends),
      cmocka_unit_test(medians_of_many),
      cmocka_unit_test(sums_carry_rounding_along),
      cmocka_unit_test(joins),
      cmocka_unit_test(numbers_are_pythons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

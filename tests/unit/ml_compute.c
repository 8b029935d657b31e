// SPDX-License-Identifier: Apache-2.0
// lua/bind/ml/compute: each loop beside the plainest one, for sizes around those of
// blocks and lanes; the same bits on one processor; given up on request.
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "lua/bind/ml/compute/compute.h"

static struct err_info e;

static struct rows random_rows(int64_t count, int64_t width, unsigned seed) {
  double *at = xcalloc((size_t)(count * width), sizeof *at);
  for (int64_t i = 0; i < count * width; i++)
    at[i] = rand_r(&seed) % 2000 / 100.0 - 10;
  return (struct rows){at, count, width};
}

static void free_rows(struct rows r) {
  free((double *)r.at);
}

static double squared(struct rows x, int64_t i, struct rows y, int64_t j) {
  double sum = 0;
  for (int64_t c = 0; c < x.width; c++) {
    double d = x.at[i * x.width + c] - y.at[j * y.width + c];
    sum += d * d;
  }
  return sum;
}

// ---- Rounds of k-means ----

static struct kmeans_round new_round(struct rows x, struct rows centers) {
  struct kmeans_round r = {.x = x, .centers = centers};
  r.labels = xcalloc((size_t)x.count, sizeof *r.labels);
  memset(r.labels, -1, (size_t)x.count * sizeof *r.labels);
  r.sums = xcalloc((size_t)(centers.count * x.width), sizeof *r.sums);
  r.counts = xcalloc((size_t)centers.count, sizeof *r.counts);
  return r;
}

static void free_round(struct kmeans_round *r) {
  free(r->labels);
  free(r->sums);
  free(r->counts);
}

static int64_t nearest_of(struct rows x, int64_t i, struct rows centers) {
  int64_t best = 0;
  for (int64_t c = 1; c < centers.count; c++)
    if (squared(x, i, centers, c) < squared(x, i, centers, best))
      best = c;
  return best;
}

static void expect_round(int64_t count, int64_t width, int64_t k) {
  struct rows x = random_rows(count, width, 1), c = random_rows(k, width, 2);
  struct kmeans_round r = new_round(x, c);
  double inertia = 0, *counts = xcalloc((size_t)k, sizeof *counts);
  double *sums = xcalloc((size_t)(k * width), sizeof *sums);
  assert_int_equal(kmeans_round(&r, NULL, &e), ERR_OK);
  assert_int_equal(r.changed, count);
  for (int64_t i = 0; i < count; i++) {
    int64_t best = nearest_of(x, i, c);
    assert_int_equal(r.labels[i], best);
    inertia += squared(x, i, c, best);
    counts[best]++;
    for (int64_t j = 0; j < width; j++)
      sums[best * width + j] += x.at[i * width + j];
  }
  assert_true(fabs(r.inertia - inertia) <= 1e-9 * inertia);
  assert_memory_equal(r.counts, counts, (size_t)k * sizeof *counts);
  for (int64_t n = 0; n < k * width; n++)
    assert_true(fabs(r.sums[n] - sums[n]) <= 1e-9 * (fabs(sums[n]) + 1));
  assert_int_equal(kmeans_round(&r, NULL, &e), ERR_OK);
  assert_int_equal(r.changed, 0);
  free(counts);
  free(sums);
  free_round(&r);
  free_rows(x);
  free_rows(c);
}

static void a_round_is_right(void **state) {
  (void)state;
  static const int64_t sizes[][3] = {{1, 1, 1},     {7, 2, 7},    {100, 3, 8},
                                     {100, 3, 9},   {4096, 1, 5}, {8192, 10, 8},
                                     {8193, 4, 17}, {20000, 2, 3}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    expect_round(sizes[i][0], sizes[i][1], sizes[i][2]);
}

static void of_equal_centers_the_first(void **state) {
  (void)state;
  const double rows[] = {0, 5}, centers[] = {-1, 1, 1, -1};
  struct kmeans_round r =
      new_round((struct rows){rows, 2, 1}, (struct rows){centers, 4, 1});
  assert_int_equal(kmeans_round(&r, NULL, &e), ERR_OK);
  assert_int_equal(r.labels[0], 0);
  assert_int_equal(r.labels[1], 1);
  free_round(&r);
}

// As on a machine with one processor.
static void one_processor_gives_the_same_bits(void **state) {
  (void)state;
  struct rows x = random_rows(50000, 7, 3), c = random_rows(11, 7, 4);
  struct kmeans_round many = new_round(x, c), one = new_round(x, c);
  cpu_set_t all, first;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  assert_int_equal(kmeans_round(&many, NULL, &e), ERR_OK);
  CPU_ZERO(&first);
  for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&first); i++)
    if (CPU_ISSET(i, &all))
      CPU_SET(i, &first);
  assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
  assert_int_equal(kmeans_round(&one, NULL, &e), ERR_OK);
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
  assert_memory_equal(one.sums, many.sums, 77 * sizeof *one.sums);
  assert_memory_equal(&one.inertia, &many.inertia, sizeof one.inertia);
  free_round(&many);
  free_round(&one);
  free_rows(x);
  free_rows(c);
}

// ---- Distances ----

static void nearer_ones_are_kept(void **state) {
  (void)state;
  struct rows x = random_rows(9000, 3, 5), c = random_rows(1, 3, 6);
  double *nearest = xcalloc(9000, sizeof *nearest), total = 0;
  struct kmeans_closer w = {x, c.at, nearest, nearest, 0};
  for (int i = 0; i < 9000; i++)
    nearest[i] = i % 3 ? INFINITY : 0.5;
  assert_int_equal(kmeans_closer(&w, NULL, &e), ERR_OK);
  for (int i = 0; i < 9000; i++) {
    double d = squared(x, i, c, 0), want = i % 3 || d < 0.5 ? d : 0.5;
    assert_true(fabs(nearest[i] - want) <= 1e-12 * want);
    total += want;
  }
  assert_true(fabs(w.total - total) <= 1e-9 * total);
  free(nearest);
  free_rows(x);
  free_rows(c);
}

static void expect_neighbors(struct rows x, struct rows q, int64_t k,
                             bool skips_own) {
  double *distances = xcalloc((size_t)(q.count * k), sizeof *distances);
  int64_t *places = xcalloc((size_t)(q.count * k), sizeof *places);
  struct row_neighbors n = {x, q, k, skips_own, distances, places};
  assert_int_equal(row_neighbors(&n, NULL, &e), ERR_OK);
  for (int64_t i = 0; i < q.count; i++)
    for (int64_t m = 0; m < k; m++) {
      int64_t place = places[i * k + m], before = 0;
      double far = squared(q, i, x, place);
      assert_true(fabs(distances[i * k + m] - sqrt(far)) <= 1e-12 * far);
      assert_false(skips_own && place == i);
      for (int64_t r = 0; r < x.count; r++) { // those that come before it
        double d = squared(q, i, x, r);
        before +=
            !(skips_own && r == i) && (d < far || (d == far && r < place));
      }
      assert_int_equal(before, m);
    }
  free(distances);
  free(places);
}

static void the_nearest_in_their_order(void **state) {
  (void)state;
  struct rows x = random_rows(61, 1, 7), q = random_rows(20, 1, 8);
  expect_neighbors(x, q, 1, false);
  expect_neighbors(x, q, 9, false);
  expect_neighbors(x, q, 61, false);
  expect_neighbors(x, x, 60, true);
  free_rows(x);
  free_rows(q);
}

static void distances_and_their_sums(void **state) {
  (void)state;
  struct rows x = random_rows(37, 4, 9), y = random_rows(13, 4, 10);
  double all[37 * 13], sums[37 * 3];
  int32_t labels[37];
  for (int i = 0; i < 37; i++)
    labels[i] = i % 3;
  assert_int_equal(row_distances(x, y, all, NULL, &e), ERR_OK);
  for (int n = 0; n < 37 * 13; n++)
    assert_true(fabs(all[n] - sqrt(squared(x, n / 13, y, n % 13))) < 1e-12);
  struct label_distances d = {x, labels, 3, sums};
  assert_int_equal(label_distances(&d, NULL, &e), ERR_OK);
  for (int n = 0; n < 37 * 3; n++) {
    double want = 0;
    for (int r = n % 3; r < 37; r += 3)
      want += sqrt(squared(x, n / 3, x, r));
    assert_true(fabs(sums[n] - want) < 1e-9);
  }
  free_rows(x);
  free_rows(y);
}

// ---- Given up ----

static bool is_over(void) {
  return true;
}

static void they_can_be_given_up(void **state) {
  (void)state;
  struct rows x = random_rows(100, 2, 11);
  struct kmeans_round r = new_round(x, x);
  static double out[10000], far[100];
  static int64_t places[100];
  static int32_t labels[100];
  struct kmeans_closer c = {x, x.at, far, far, 0};
  struct row_neighbors n = {x, x, 1, false, far, places};
  struct label_distances d = {x, labels, 1, far};
  assert_int_equal(kmeans_round(&r, is_over, &e), ERR_CANCELLED);
  assert_int_equal(kmeans_closer(&c, is_over, &e), ERR_CANCELLED);
  assert_int_equal(row_distances(x, x, out, is_over, &e), ERR_CANCELLED);
  assert_int_equal(row_neighbors(&n, is_over, &e), ERR_CANCELLED);
  assert_int_equal(label_distances(&d, is_over, &e), ERR_CANCELLED);
  free_round(&r);
  free_rows(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_round_is_right),
      cmocka_unit_test(of_equal_centers_the_first),
      cmocka_unit_test(one_processor_gives_the_same_bits),
      cmocka_unit_test(nearer_ones_are_kept),
      cmocka_unit_test(the_nearest_in_their_order),
      cmocka_unit_test(distances_and_their_sums),
      cmocka_unit_test(they_can_be_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

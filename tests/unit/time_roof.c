// SPDX-License-Identifier: Apache-2.0
// What :time says of a launch beside the roof of a GPU: one that moves 1 GB a
// millisecond and 10 million operations, and keeps 50 MB in its L2 cache.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/gpu.h"
#include "kernels/reference.h"
#include "repl/command/time.h"

static const struct gpu_roof_device device = {
    .bytes_per_us = 1e6, .operations_per_us = 1e7, .cache_bytes = 50e6};

static enum gpu_roof_kind judge(double bytes, double operations, bool is_cold,
                                double us, struct gpu_roof *out) {
  struct gpu_roof_work w = {bytes, operations, is_cold, false};
  gpu_roof_judge(&device, &w, us, out);
  return out->kind;
}

static void decides(void **state) {
  (void)state;
  struct gpu_roof r;
  // 200 MB: 200 us at least.
  assert_int_equal(judge(200e6, 0, false, 400, &r), GPU_ROOF_SHARE);
  assert_true(r.percent == 50 && r.roof_us == 200 && !r.by_operations);
  assert_int_equal(judge(200e6, 0, false, 200, &r), GPU_ROOF_SHARE);
  // 50 MB may still lie in the cache, 150 MB may not.
  assert_int_equal(judge(200e6, 0, false, 199, &r), GPU_ROOF_CACHED);
  assert_int_equal(judge(200e6, 0, false, 150, &r), GPU_ROOF_CACHED);
  assert_int_equal(judge(200e6, 0, false, 149, &r), GPU_ROOF_CANNOT);
  assert_int_equal(judge(200e6, 0, true, 199, &r), GPU_ROOF_CANNOT);
  // All of it in the cache: only the operations need their time.
  assert_int_equal(judge(40e6, 0, false, 1, &r), GPU_ROOF_CACHED);
  assert_int_equal(judge(40e6, 1e9, false, 150, &r), GPU_ROOF_SHARE);
  assert_true(r.by_operations && r.roof_us == 100);
  assert_int_equal(judge(40e6, 1e9, false, 99, &r), GPU_ROOF_CANNOT);
  // Nothing is known.
  assert_int_equal(judge(0, 0, false, 5, &r), GPU_ROOF_UNKNOWN);
  struct gpu_roof_device silent = {0};
  gpu_roof_judge(&silent, &(struct gpu_roof_work){1e6, 1e6, false, false}, 5,
                 &r);
  assert_int_equal(r.kind, GPU_ROOF_UNKNOWN);
}

// An H200's figures, as its driver tells them.
static void reads_attributes(void **state) {
  (void)state;
  int64_t attributes[GPU_ATTR_COUNT] = {
      [GPU_ATTR_MEMORY_CLOCK_RATE_KHZ] = 3201000,
      [GPU_ATTR_MEMORY_BUS_WIDTH_BITS] = 6144,
      [GPU_ATTR_CLOCK_RATE_KHZ] = 1980000,
      [GPU_ATTR_MULTIPROCESSOR_COUNT] = 132,
      [GPU_ATTR_L2_CACHE_BYTES] = 62914560,
  };
  struct gpu_roof_device d;
  gpu_roof_device(attributes, &d);
  assert_true(d.bytes_per_us > 4.91e6 && d.bytes_per_us < 4.92e6);
  assert_true(d.operations_per_us > 6.69e7 && d.operations_per_us < 6.70e7);
  assert_true(d.cache_bytes == 62914560);
}

static void expect(double bytes, double operations, double us,
                   const char *text) {
  struct str s = STR_INIT;
  struct gpu_roof_work w = {bytes, operations, false, false};
  time_add_roof(&device, &w, us, &s);
  if (!strstr(s.data, text))
    fail_msg("\"%s\" is not in: %s", text, s.data);
  str_free(&s);
}

static void says_it(void **state) {
  (void)state;
  expect(200e6, 0, 400,
         "\n50 % of the roof: 200 MB at 1000 GB/s take 200 us at least");
  expect(40e6, 1e9, 200, "50 % of the roof: 1e+09 operations at 10000 GFLOP/s");
  expect(200e6, 0, 160, "above the memory's roof");
  expect(200e6, 0, 160, "L2 cache of 50 MB held some of it");
  expect(200e6, 0, 100, "\ncannot be: 200 MB at 1000 GB/s take 200 us");
  expect(200e6, 0, 100, "too few threads for so many elements");
  expect(0, 0, 100, "no roof: the launch has no arrays");
}

// Of a kernel that nobody knows, its arrays are a guess, and a kernel may rightly
// touch a part of them.
static void assumes_no_fault(void **state) {
  (void)state;
  struct str s = STR_INIT;
  struct gpu_roof_work w = {200e6, 0, false, true};
  time_add_roof(&device, &w, 400, &s);
  assert_string_equal(s.data,
                      "\n50 % of the roof: 200 MB at 1000 GB/s take "
                      "200 us at least, if it reads or writes each array once "
                      "(both: twice the bytes)");
  str_clear(&s);
  time_add_roof(&device, &w, 100, &s);
  assert_string_equal(s.data,
                      "\npart of its arrays: all 200 MB at 1000 GB/s take 200 "
                      "us at least, and so it left some of them alone");
  str_free(&s);
}

// ---- The references of built-in kernels ----

enum { MOST = 5003 };

static void fill(float *x, unsigned seed) {
  for (int i = 0; i < MOST; i++) {
    seed = seed * 1664525 + 1013904223;
    x[i] = (float)(seed >> 8) / 16777216 - 0.5f;
  }
}

static float near_to(const struct reference *r, float want) {
  return strcmp(r->name, "block_sum") ? 0
                                      : 1e-6f * (1 + (want < 0 ? -want : want));
}

// Rows have arrays of floats, and numbers: 2 is the factor, the last is n.
static void compare(const struct reference *r, struct kernel_team *t, int n) {
  static float arrays[2][4][MOST];
  struct err_info e = {0};
  struct reference_arg args[2][4] = {0};
  struct reference_call call[2];
  for (int k = 0; k < 2; k++) {
    const char *p = r->signature;
    for (int i = 0; i < 4 && p;
         i++, p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
      bool is_array = strcspn(p, "*") < strcspn(p, ",");
      bool is_float = strcspn(p, "f") < strcspn(p, ",");
      fill(arrays[k][i], (unsigned)i + 7);
      args[k][i] =
          (struct reference_arg){.name = "it",
                                 .data = is_array ? arrays[k][i] : NULL,
                                 .count = is_array ? MOST : 0,
                                 .integer = n,
                                 .number = is_float ? 2 : n};
    }
    call[k] = (struct reference_call){
        args[k], {(uint32_t)(n + 95) / 96, 1, 1}, {96, 1, 1}, &e};
  }
  r->compute(&call[0]);
  r->best(&call[1], t);
  assert_int_equal(e.code, ERR_OK);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < MOST; k++) {
      float want = arrays[0][i][k], off = arrays[1][i][k] - want;
      if (!((off < 0 ? -off : off) <= near_to(r, want)))
        fail_msg("%s, n = %d, array %d [%d]: %.9g for %.9g", r->name, n, i, k,
                 (double)arrays[1][i][k], (double)want);
    }
}

static void best_is_right(void **state) {
  (void)state;
  static const int sizes[] = {0, 1, 7, 16, 17, 96, 97, 1000, MOST};
  const struct reference *r;
  int rows = 0;
  for (int most = 1; most <= 64; most *= 8) {
    struct kernel_team *t = kernel_team_new(most);
    assert_true(kernel_team_size(t) >= 1 && kernel_team_size(t) <= most);
    for (int i = 0; (r = reference_at(i)); i++)
      for (size_t k = 0; r->best && k < sizeof sizes / sizeof *sizes; k++) {
        compare(r, t, sizes[k]);
        rows++;
      }
    kernel_team_free(t);
  }
  assert_int_equal(rows, 3 * 3 * 9);
}

// Parts cover all elements once, whatever their number.
static void parts_cover(void **state) {
  (void)state;
  for (int64_t count = 0; count < 200; count += 7)
    for (int parts = 1; parts < 20; parts++) {
      assert_int_equal(kernel_team_from(count, 0, parts), 0);
      assert_int_equal(kernel_team_from(count, parts, parts), count);
      for (int n = 0; n < parts; n++)
        assert_true(kernel_team_from(count, n, parts) <=
                    kernel_team_from(count, n + 1, parts));
    }
}

static void work_is_known(void **state) {
  (void)state;
  struct err_info e = {0};
  struct reference_arg args[4] = {{0}};
  struct reference_call call = {args, {5, 1, 1}, {96, 1, 1}, &e};
  for (int i = 0; i < 4; i++)
    args[i].integer = 100;
  struct reference_work w = reference_find("saxpy")->work(&call);
  assert_true(w.bytes == 1200 && w.operations == 200);
  w = reference_find("block_sum")->work(&call);
  assert_true(w.bytes == 420 && w.operations == 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decides),       cmocka_unit_test(reads_attributes),
      cmocka_unit_test(says_it),       cmocka_unit_test(assumes_no_fault),
      cmocka_unit_test(best_is_right), cmocka_unit_test(parts_cover),
      cmocka_unit_test(work_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

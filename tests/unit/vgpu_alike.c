// SPDX-License-Identifier: Apache-2.0
// Many threads that store one value to one place (tests/ptx/kernels/alike.ptx):
// a note that counts them all, and an error where that is not all there is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

enum { THREADS = 64, BLOCKS = 2, NOBODY = THREADS };

static struct gpu_finding found[8];
static int found_count;

static int set_up(void **state) {
  (void)state;
  return open_with("tests/ptx/kernels/alike.ptx");
}

struct store {
  uint32_t from, odd, reader, ordered;
};

static enum err run(struct store s) {
  static const uint32_t zero;
  struct {
    uint64_t flag;
    struct store store;
  } params = {upload(&zero, sizeof zero), s};
  struct gpu_launch l = {.grid = {BLOCKS, 1, 1},
                         .block = {THREADS, 1, 1},
                         .params = &params,
                         .param_bytes = sizeof params};
  ok(back->function_get(device, module, "store", &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  enum err err = finish();
  found_count = back->findings(device, found, 8);
  return err;
}

static void expect(int severity, uint64_t count) {
  assert_int_equal(found_count, 1);
  assert_int_equal(found[0].kind, ERR_RACE);
  assert_int_equal(found[0].severity, severity);
  assert_int_equal(found[0].count, count);
}

// All but the very first have one before them.
static void counts_all_that_write_the_same(void **state) {
  (void)state;
  for (uint32_t ordered = 0; ordered < 2; ordered++) {
    assert_int_equal(run((struct store){0, NOBODY, NOBODY, ordered}), ERR_OK);
    expect(GPU_NOTE, BLOCKS * THREADS - 1);
    assert_int_equal(found[0].at.thread[0], 1);
    assert_int_equal(found[0].other.thread[0], 0);
    assert_non_null(strstr(found[0].text, "both write the same value"));
  }
}

// Of each block, the odd one and who follows it, and the next block's first.
static void tells_another_value(void **state) {
  (void)state;
  for (uint32_t odd = 1; odd < 40; odd += 6) {
    assert_int_equal(run((struct store){0, odd, NOBODY, 0}), ERR_RACE);
    expect(GPU_ERROR, 2 * BLOCKS);
    assert_int_equal(found[0].at.thread[0], odd);
  }
}

// Who reads it in the same step races with all others of its block.
static void tells_a_reader(void **state) {
  (void)state;
  assert_int_equal(run((struct store){1, NOBODY, 3, 1}), ERR_RACE);
  expect(GPU_ERROR, THREADS); // of block 1, with block 0's reader
  assert_int_equal(run((struct store){0, NOBODY, 40, 0}), ERR_RACE);
  assert_int_equal(found[0].severity, GPU_ERROR);
  assert_int_equal(run((struct store){1, NOBODY, NOBODY, 1}), ERR_OK);
  expect(GPU_NOTE, THREADS - 1);
}

// Beside an atomic it is no better than another value: atomics of others come
// between as well, and what they did is lost.
static void tells_of_one_beside_an_atomic(void **state) {
  (void)state;
  for (uint32_t value = 1; value <= 2; value++) {
    static const uint32_t zero;
    struct {
      uint64_t flag;
      uint32_t value;
    } params = {upload(&zero, sizeof zero), value};
    struct gpu_launch l = {.grid = {1, 1, 1},
                           .block = {THREADS, 1, 1},
                           .params = &params,
                           .param_bytes = 12};
    ok(back->function_get(device, module, "store_beside", &l.function, NULL,
                          &info));
    ok(back->launch(device, &l, &info));
    assert_int_equal(finish(), ERR_RACE);
    found_count = back->findings(device, found, 8);
    expect(GPU_ERROR, 1);
    assert_int_equal(found[0].other.thread[0], 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_all_that_write_the_same),
      cmocka_unit_test(tells_another_value),
      cmocka_unit_test(tells_a_reader),
      cmocka_unit_test(tells_of_one_beside_an_atomic),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: Apache-2.0
// Registers that nothing wrote (tests/ptx/kernels/undefined.ptx): what is found,
// what is not, and that they hold the same every time.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

enum { COUNT = 32 };
static uint32_t got[COUNT];
static struct gpu_finding found[8];

static int set_up(void **state) {
  (void)state;
  return open_with("tests/ptx/kernels/undefined.ptx");
}

// Launches a kernel whose only parameter is its result and reads that; gives
// the number of errors in `found`.
static int run(const char *kernel, uint32_t blocks, uint32_t threads,
               uint32_t flags) {
  struct gpu_function_info f;
  static const uint32_t zeros[COUNT];
  gpu_ptr out = upload(zeros, sizeof zeros);
  struct gpu_launch l = {.grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .flags = flags,
                         .params = &out,
                         .param_bytes = sizeof out};
  ok(back->function_get(device, module, kernel, &l.function, &f, &info));
  ok(back->launch(device, &l, &info));
  enum err err = finish();
  int count = back->findings(device, found, 8);
  if (err != (count ? ERR_UNINITIALISED : ERR_OK))
    fail_msg("%s: %s: %s", kernel, err_kind(err), found[0].text);
  ok(back->copy_out(device, got, out, sizeof got, 0, &info));
  err = finish();
  if (!count)
    count = back->findings(device, found, 8);
  assert_int_equal(err, count ? ERR_UNINITIALISED : ERR_OK);
  ok(back->mem_free(device, out, &info));
  return count;
}

static void finds_what_the_host_gets(void **state) {
  (void)state;
  assert_int_equal(run("raw", 4, 1, 0), 1);
  assert_int_equal(found[0].space, GPU_SPACE_REGISTER);
  assert_int_equal(found[0].severity, GPU_ERROR);
  assert_int_equal(run("misguarded", 1, 32, 0), 1);
  assert_int_equal(found[0].at.thread[0], 16);
  assert_int_equal(run("called", 1, 1, 0), 1);
  assert_int_equal(run("in_registers_unset", 1, 32, 0), 1);
  assert_int_equal(found[0].at.thread[0], 16);
}

// A half of the memory is written: of the other half the host gets poison.
static void gives_the_host_poison(void **state) {
  (void)state;
  static const uint32_t ones[4] = {1, 1, 1, 1};
  gpu_ptr p;
  ok(back->mem_alloc(device, sizeof got, 0, &p, &info));
  ok(back->copy_in(device, p + 8, ones, sizeof ones, 0, &info));
  ok(back->copy_out(device, got, p + 4, 24, 0, &info));
  ok(finish());
  assert_int_equal(back->findings(device, found, 8), 1);
  assert_int_equal(found[0].severity, GPU_WARNING);
  static const uint32_t wanted[6] = {0x7FF7BAD0, 1, 1, 1, 1, 0x7FF7BAD0};
  assert_memory_equal(got, wanted, sizeof wanted);
  ok(back->mem_free(device, p, &info));
}

// How severe the only thing is that is found when the host gets what the kernel has
// left in `out`, which is freed.
static int severity_of(const char *kernel, gpu_ptr out, uint32_t threads) {
  struct gpu_function_info f;
  struct gpu_launch l = {.grid = {1, 1, 1},
                         .block = {threads, 1, 1},
                         .params = &out,
                         .param_bytes = sizeof out};
  ok(back->function_get(device, module, kernel, &l.function, &f, &info));
  ok(back->launch(device, &l, &info));
  ok(finish());
  assert_int_equal(back->findings(device, found, 8), 0);
  ok(back->copy_out(device, got, out, sizeof got, 0, &info));
  enum err err = finish();
  assert_int_equal(back->findings(device, found, 8), 1);
  int severity = (int)found[0].severity;
  assert_int_equal(err, severity == GPU_ERROR ? ERR_UNINITIALISED : ERR_OK);
  ok(back->mem_free(device, out, &info));
  return severity;
}

// A row of stores in which one lane is off.
static void leaves_a_hole(void **state) {
  (void)state;
  gpu_ptr out;
  ok(back->mem_alloc(device, sizeof got, 0, &out, &info));
  assert_int_equal(severity_of("with_a_hole", out, COUNT), GPU_WARNING);
  for (uint32_t n = 0; n < COUNT; n++)
    assert_int_equal(got[n], n == 5 ? 0x7FF7BAD0 : n);
}

// Bytes that are copied along with others, and nothing else.
static void padding_is_a_note(void **state) {
  (void)state;
  static const uint32_t zeros[COUNT];
  assert_int_equal(severity_of("padded", upload(zeros, sizeof zeros), 1),
                   GPU_NOTE);
  assert_non_null(strstr(found[0].text, "harmless if they are padding"));
  assert_int_equal(
      severity_of("padded_and_computed", upload(zeros, sizeof zeros), 1),
      GPU_ERROR);
  assert_int_equal(
      severity_of("padded_and_read", upload(zeros, sizeof zeros), 1),
      GPU_ERROR);
}

static void knows_where_a_sum_carries(void **state) {
  (void)state;
  assert_int_equal(run("above_the_unset", 1, 1, 0), 1);
  assert_int_equal(run("below_the_unset", 1, 1, 0), 0);
  assert_int_equal(got[0], 5);
}

static void follows_the_parts_of_16_bytes(void **state) {
  (void)state;
  assert_int_equal(run("upper_half", 1, 1, 0), 1);
  assert_int_equal(run("lower_half", 1, 1, 0), 0);
}

static void follows_the_carry(void **state) {
  (void)state;
  assert_int_equal(run("carry_unset", 1, 32, 0), 1);
  assert_int_equal(found[0].at.thread[0], 16);
  assert_int_equal(run("carry_handed_on", 1, 32, 0), 1);
  assert_int_equal(found[0].at.thread[0], 16);
  assert_int_equal(run("carry_set", 1, 32, 0), 0);
  assert_int_equal(got[3], 0);
  assert_int_equal(got[4], 1);
  assert_int_equal(got[31], 1);
}

// What was discarded is undefined, whether or not anybody looks, until it is
// written again.
static void forgets_what_was_discarded(void **state) {
  (void)state;
  assert_int_equal(run("discarded", 1, COUNT, 0), 1);
  assert_int_equal(found[0].severity, GPU_ERROR);
  assert_string_equal(found[0].text,
                      "was discarded, and the host has got what became of it");
  for (int n = 0; n < COUNT; n++)
    assert_int_equal(got[n], 0x7FF7BAD0);
  assert_int_equal(run("discarded", 1, COUNT, GPU_LAUNCH_UNCHECKED), 0);
  for (int n = 0; n < COUNT; n++)
    assert_int_equal(got[n], 0x7FF7BAD0);
  assert_int_equal(run("discarded_and_used", 1, 1, 0), 1);
  assert_string_equal(found[0].text, "was discarded, and decides a branch");
  assert_int_equal(back->findings(device, found, 8), 1); // the copy's
  assert_int_equal(run("discarded_and_added_to", 1, 1, 0), 1);
  assert_string_equal(found[0].text, "was discarded");
  assert_int_equal(back->findings(device, found, 8), 1);
  assert_int_equal(run("discarded_and_written", 1, COUNT, 0), 0);
  for (int n = 0; n < COUNT; n++)
    assert_int_equal(got[n], n);
}

// It writes: who reads in another block does not know which comes first.
static void discarding_can_race(void **state) {
  (void)state;
  struct gpu_function_info f;
  static const uint32_t zeros[COUNT];
  gpu_ptr out = upload(zeros, sizeof zeros);
  struct gpu_launch l = {.grid = {2, 1, 1},
                         .block = {1, 1, 1},
                         .params = &out,
                         .param_bytes = sizeof out};
  ok(back->function_get(device, module, "discarded_beside", &l.function, &f,
                        &info));
  ok(back->launch(device, &l, &info));
  assert_int_equal(finish(), ERR_RACE);
  assert_int_equal(back->findings(device, found, 8), 1);
  ok(back->mem_free(device, out, &info));
}

// Checked or not, the same in each block and call: nothing is left over.
static void holds_the_same_every_time(void **state) {
  (void)state;
  for (uint32_t flags = 0; flags <= GPU_LAUNCH_UNCHECKED;
       flags += GPU_LAUNCH_UNCHECKED) {
    run("raw", COUNT, 1, flags);
    for (int n = 1; n < COUNT; n++)
      assert_int_equal(got[n], got[0]);
    run("called", 1, 1, flags);
    assert_int_equal(got[0], got[1]);
    run("carry", COUNT, 1, flags);
    for (int n = 0; n < COUNT; n++)
      assert_int_equal(got[n], 0);
  }
}

static void says_nothing_of_what_is_right(void **state) {
  (void)state;
  assert_int_equal(run("guarded", 1, 32, 0), 0);
  assert_int_equal(got[3], 5);
  assert_int_equal(got[20], 2);
  assert_int_equal(run("unseen", 1, 32, 0), 0);
  assert_int_equal(got[3], 19 + 1);
  assert_int_equal(got[20], 20 + 1);
  assert_int_equal(run("written", 1, 32, 0), 0);
  assert_int_equal(got[3], 7 + 3);
  assert_int_equal(got[20], 7 + 4);
  assert_int_equal(run("in_registers", 1, 32, 0), 0);
  assert_int_equal(got[3], 3 + 7);
  assert_int_equal(got[20], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_the_host_gets),
      cmocka_unit_test(gives_the_host_poison),
      cmocka_unit_test(leaves_a_hole),
      cmocka_unit_test(padding_is_a_note),
      cmocka_unit_test(knows_where_a_sum_carries),
      cmocka_unit_test(follows_the_parts_of_16_bytes),
      cmocka_unit_test(follows_the_carry),
      cmocka_unit_test(forgets_what_was_discarded),
      cmocka_unit_test(discarding_can_race),
      cmocka_unit_test(holds_the_same_every_time),
      cmocka_unit_test(says_nothing_of_what_is_right),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

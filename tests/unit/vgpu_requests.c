// SPDX-License-Identifier: Apache-2.0
// Requests to memory that a counted launch records, one after the other: their lines
// and files, their lanes and addresses; those of the last launch that recorded them,
// once, and of a launch that starts over only those of its last run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/requests.h"
#include "tests/unit/vgpu_fixture.h"

// `apart`: element of the thread's number; `same`: all at one place, which is a race.
static const char kernels[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".file 3 \"one.cu\"\n.file 5 \"two.cuh\"\n"
                              ".visible .entry apart(.param .u64 p) {\n"
                              ".reg .b64 %a, %b;\n.reg .b32 %t, %v;\n"
                              "ld.param.u64 %a, [p];\nmov.u32 %t, %tid.x;\n"
                              "mul.wide.u32 %b, %t, 4;\nadd.u64 %a, %a, %b;\n"
                              ".loc 3 7 0\nld.global.u32 %v, [%a];\n"
                              ".loc 5 9 0\nst.global.u32 [%a], %v;\n"
                              ".loc 3 8 0\nst.global.u32 [%a], %t;\nret;\n}\n"
                              ".visible .entry same(.param .u64 p) {\n"
                              ".reg .b64 %a;\n.reg .b32 %t, %v;\n"
                              "ld.param.u64 %a, [p];\nmov.u32 %t, %ctaid.x;\n"
                              ".loc 5 4 0\nld.global.u32 %v, [%a];\n"
                              "st.global.u32 [%a], %t;\nret;\n}\n";

enum { COUNT = 8 };
static gpu_ptr array;
static struct gpu_requests all;
static uint8_t *packed;

static int set_up(void **state) {
  (void)state;
  static const uint32_t zeros[64];
  open_device();
  ok(back->module_load(device, kernels, strlen(kernels), &module, &info));
  array = upload(zeros, sizeof zeros);
  return 0;
}

static enum err launch(const char *kernel, uint32_t blocks, uint32_t threads,
                       uint32_t flags) {
  struct gpu_launch l = {.grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .flags = flags,
                         .params = &array,
                         .param_bytes = sizeof array};
  ok(back->function_get(device, module, kernel, &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  return finish();
}

// Those of the last launch that recorded some; how many.
static int take(struct gpu_request out[COUNT]) {
  size_t at = 0;
  int count = 0;
  ok(back->requests(device, &all, &packed, &info));
  while (count < COUNT && gpu_request_next(packed, all.bytes, &at, &out[count]))
    count++;
  assert_int_equal(all.kept, count);
  assert_int_equal(all.seen, count);
  free(packed);
  return count;
}

enum { RECORDS = GPU_LAUNCH_COUNT | GPU_LAUNCH_REQUESTS };

static void each_has_its_place(void **state) {
  (void)state;
  static const struct {
    const char *file;
    int line;
    enum gpu_access access;
  } want[] = {{"one.cu", 7, GPU_READ},
              {"two.cuh", 9, GPU_WRITE},
              {"one.cu", 8, GPU_WRITE}};
  struct gpu_request q[COUNT];
  ok(launch("apart", 1, 20, RECORDS));
  assert_int_equal(take(q), 3);
  for (int i = 0; i < 3; i++) {
    assert_string_equal(all.files[q[i].file], want[i].file);
    assert_int_equal(q[i].line, want[i].line);
    assert_int_equal(q[i].access, want[i].access);
    assert_int_equal(q[i].space, GPU_SPACE_GLOBAL);
    assert_int_equal(q[i].lanes, (1 << 20) - 1);
    assert_int_equal(q[i].bytes, 4);
    assert_int_equal(q[i].sectors, 3);
    for (uint64_t l = 0; l < 20; l++)
      assert_int_equal(q[i].at[l], array + 4 * l);
  }
}

static void each_is_taken_once(void **state) {
  (void)state;
  struct gpu_request q[COUNT];
  uint64_t before = all.launch;
  ok(launch("apart", 1, 1, RECORDS));
  ok(launch("same", 1, 1, GPU_LAUNCH_COUNT)); // records none
  assert_int_equal(take(q), 3);
  assert_true(all.launch > before);
  assert_int_equal(back->requests(device, &all, &packed, &info), ERR_NOT_FOUND);
  ok(launch("same", 1, 1, RECORDS));
  ok(launch("apart", 1, 1, RECORDS));
  assert_int_equal(take(q), 3);
  assert_string_equal(all.files[q[0].file], "one.cu");
}

static void starting_over_begins_anew(void **state) {
  (void)state;
  struct gpu_request q[COUNT];
  assert_int_equal(launch("same", 2, 1, RECORDS), ERR_RACE);
  assert_int_equal(take(q), 4);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(all.files[q[i].file], "two.cuh");
    assert_int_equal(q[i].block, i / 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_has_its_place),
      cmocka_unit_test(each_is_taken_once),
      cmocka_unit_test(starting_over_begins_anew),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

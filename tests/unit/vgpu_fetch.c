// SPDX-License-Identifier: Apache-2.0
// Fetches from a texture over linear memory: what is found where the launch writes
// that memory, where nothing wrote it, where it is gone, and where the fetch is not
// of the texture's kind; beside each, what is much like it and right.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

enum { COUNT = 64, NOTHING = -1 };

// %x: the element of the thread's number, of which %a is the address.
static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 from, .param .u64 texture, .param .u64 out) "
    "{\n"
    ".reg .b64 %%p, %%a, %%o, %%tex;\n.reg .b32 %%x, %%r<4>;\n"
    ".reg .f32 %%f<4>;\n"
    "ld.param.u64 %%p, [from];\nld.param.u64 %%tex, [texture];\n"
    "ld.param.u64 %%o, [out];\n"
    "mov.u32 %%x, %%tid.x;\n"
    "mul.wide.u32 %%a, %%x, 4;\nadd.u64 %%o, %%o, %%a;\n"
    "add.u64 %%a, %%p, %%a;\n"
    "%s"
    "st.global.u32 [%%o], %%r0;\nret;\n}\n";

#define FETCH "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%tex, {%x}];\n"

static gpu_ptr from;
static uint64_t texture;
static struct gpu_finding found[4];

// Of the elements the first `written` hold something.
static void make_texture(uint32_t written) {
  static const uint32_t zeros[COUNT];
  open_device();
  ok(back->mem_alloc(device, sizeof zeros, 0, &from, &info));
  if (written)
    ok(back->copy_in(device, from, zeros, written * 4, 0, &info));
  struct gpu_texture_desc d = {.resource = GPU_RESOURCE_LINEAR,
                               .address = from,
                               .width = COUNT,
                               .format = GPU_FORMAT_U32,
                               .channels = 1,
                               .reads_elements = true};
  ok(back->texture_create(device, &d, &texture, &info));
  ok(finish());
}

// The kind that is found, in the space of textures, and how severe it is.
static void expect(const char *body, enum err wanted, int severity) {
  static const uint32_t zeros[COUNT];
  char text[3000];
  snprintf(text, sizeof text, kernel, body);
  ok(back->module_load(device, text, strlen(text), &module, &info));
  uint64_t params[] = {from, texture, upload(zeros, sizeof zeros)};
  struct gpu_launch l = {.grid = {1, 1, 1},
                         .block = {COUNT, 1, 1},
                         .params = params,
                         .param_bytes = sizeof params};
  ok(back->function_get(device, module, "k", &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  enum err err = finish();
  int count = back->findings(device, found, 4);
  int got = count ? (int)found[0].severity : NOTHING;
  if (got != severity || err != (severity == GPU_ERROR ? wanted : ERR_OK) ||
      (count && (found[0].kind != (int32_t)wanted ||
                 found[0].space != GPU_SPACE_TEXTURE)))
    fail_msg("%s%s, %d found: %s %s", body, err_kind(err), count,
             count ? err_kind(found[0].kind) : "", count ? found[0].text : "");
  tear_down(NULL);
}

static void what_the_launch_writes(void **state) {
  (void)state;
  make_texture(COUNT);
  expect(FETCH, ERR_RACE, NOTHING);
  // Its own store a thread does not see, either.
  make_texture(COUNT);
  expect("st.global.u32 [%a], %x;\n" FETCH, ERR_RACE, GPU_ERROR);
  make_texture(COUNT);
  expect("red.global.add.u32 [%a], 1;\n" FETCH, ERR_RACE, GPU_ERROR);
  make_texture(COUNT);
  expect(FETCH "st.global.u32 [%a], %x;\n", ERR_RACE, NOTHING);
}

static void what_nothing_wrote(void **state) {
  (void)state;
  make_texture(COUNT - 1);
  expect(FETCH, ERR_UNINITIALISED, GPU_ERROR);
  assert_int_equal(found[0].at.thread[0], COUNT - 1);
}

static void what_is_gone(void **state) {
  (void)state;
  make_texture(COUNT);
  ok(back->texture_destroy(device, texture, &info));
  expect(FETCH, ERR_USE_AFTER_FREE, GPU_ERROR);
  make_texture(COUNT);
  ok(back->mem_free(device, from, &info));
  expect(FETCH, ERR_USE_AFTER_FREE, GPU_ERROR);
  make_texture(COUNT);
  texture = from;
  expect(FETCH, ERR_ARGUMENT, GPU_ERROR);
}

static void what_is_outside(void **state) {
  (void)state;
  make_texture(COUNT);
  expect("add.u32 %x, %x, 1;\n" FETCH, ERR_OUT_OF_BOUNDS, GPU_NOTE);
  assert_int_equal(found[0].count, 1);
}

static void what_is_another_kind(void **state) {
  (void)state;
  make_texture(COUNT);
  expect("tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%tex, {%x, %x}];\n",
         ERR_ARGUMENT, GPU_ERROR);
  make_texture(COUNT);
  expect("cvt.rn.f32.u32 %f0, %x;\n"
         "tex.1d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%tex, {%f0}];\n",
         ERR_ARGUMENT, GPU_ERROR);
  make_texture(COUNT);
  expect("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%tex, {%x}];\n",
         ERR_ARGUMENT, GPU_WARNING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_launch_writes),
      cmocka_unit_test(what_nothing_wrote),
      cmocka_unit_test(what_is_gone),
      cmocka_unit_test(what_is_outside),
      cmocka_unit_test(what_is_another_kind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

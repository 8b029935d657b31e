// SPDX-License-Identifier: Apache-2.0
// Kernels that run over many blocks at once (gpu/vgpu/grid/flat.c), where what they
// load may be read where it lies and what they compute written where it will lie:
// each gives what its threads give one by one, with a seed, which keeps them apart.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

// As many blocks as an element has bytes: whoever takes one for the other is found
// by what is computed, as the addresses are right.
enum { BLOCKS = 4, THREADS = 64, COUNT = BLOCKS * THREADS };

// The element of `x` and of `y` of each thread below n is at %x and at %y.
static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 px, .param .u64 py, .param .u32 n) {\n"
    ".reg .b64 %%px, %%py, %%ax, %%ay, %%x, %%y, %%at;\n"
    ".reg .b32 %%n, %%b, %%s, %%t, %%i;\n.reg .f32 %%u, %%v, %%w;\n"
    ".reg .pred %%p;\n"
    "ld.param.u64 %%px, [px];\nld.param.u64 %%py, [py];\n"
    "ld.param.u32 %%n, [n];\n"
    "mov.u32 %%b, %%ctaid.x;\nmov.u32 %%s, %%ntid.x;\nmov.u32 %%t, %%tid.x;\n"
    "mad.lo.s32 %%i, %%b, %%s, %%t;\n"
    "setp.ge.s32 %%p, %%i, %%n;\n@%%p bra end;\n"
    "cvta.to.global.u64 %%ax, %%px;\ncvta.to.global.u64 %%ay, %%py;\n"
    "mul.wide.s32 %%at, %%i, 4;\n"
    "add.s64 %%x, %%ax, %%at;\nadd.s64 %%y, %%ay, %%at;\n"
    "%s"
    "end:\nret;\n}\n";

static float of_x[COUNT], of_y[COUNT];

static void begin(uint32_t seed) {
  struct gpu_options options = {.schedule_seed = seed};
  ok(back->open(0, &options, &device, &info));
}

// Runs the kernel for all but the last `cut` elements.
static void run(const char *body, uint32_t seed, int cut) {
  char text[2000];
  for (int n = 0; n < COUNT; n++)
    of_x[n] = (float)n, of_y[n] = (float)(3 * n + 1);
  begin(seed);
  snprintf(text, sizeof text, kernel, body);
  ok(back->module_load(device, text, strlen(text), &module, &info));
  struct {
    uint64_t x, y;
    int n;
  } params = {upload(of_x, sizeof of_x), upload(of_y, sizeof of_y),
              COUNT - cut};
  struct gpu_launch l = {.grid = {BLOCKS, 1, 1},
                         .block = {THREADS, 1, 1},
                         .params = &params,
                         .param_bytes = 20};
  ok(back->function_get(device, module, "k", &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  ok(back->copy_out(device, of_x, params.x, sizeof of_x, 0, &info));
  ok(back->copy_out(device, of_y, params.y, sizeof of_y, 0, &info));
  ok(finish());
  tear_down(NULL);
}

static void expect(int n, float x, float y) {
  if (of_x[n] != x || of_y[n] != y)
    fail_msg("[%d]: %g and %g instead of %g and %g", n, of_x[n], of_y[n], x, y);
}

#define BOTH_WAYS(seed, cut)                                                   \
  for (uint32_t seed = 0; seed < 2; seed++)                                    \
    for (int cut = 0; cut < 100; cut += 33)

static void computes(void **state) {
  (void)state;
  BOTH_WAYS(seed, cut) {
    run("ld.global.f32 %u, [%x];\nadd.f32 %v, %u, 0f3F800000;\n"
        "st.global.f32 [%y], %v;\n",
        seed, cut);
    for (int n = 0; n < COUNT; n++)
      expect(n, (float)n, (float)(n < COUNT - cut ? n + 1 : 3 * n + 1));
  }
}

// What is the same or grows by as much from thread to thread: numbers of their own,
// of the launch, of its size.
static void counts(void **state) {
  (void)state;
  BOTH_WAYS(seed, cut) {
    run(".reg .b32 %k<4>;\nmul.lo.s32 %k0, %i, 3;\nadd.s32 %k1, %k0, 7;\n"
        "st.global.u32 [%x], %k1;\nmov.u32 %k2, %nctaid.x;\n"
        "sub.s32 %k3, %i, %k2;\nst.global.u32 [%y], %k3;\n",
        seed, cut);
    for (int n = 0; n < COUNT - cut; n++) {
      int x, y;
      memcpy(&x, &of_x[n], sizeof x);
      memcpy(&y, &of_y[n], sizeof y);
      if (x != 3 * n + 7 || y != n - BLOCKS)
        fail_msg("[%d]: %d and %d", n, x, y);
    }
  }
}

// What was loaded before a store to the same place is what was there then.
static void a_store_comes_before_the_use(void **state) {
  (void)state;
  BOTH_WAYS(seed, cut) {
    run("ld.global.f32 %u, [%x];\n"
        "mov.f32 %w, 0f40E00000;\nst.global.f32 [%x], %w;\n"
        "add.f32 %v, %u, 0f3F800000;\nst.global.f32 [%y], %v;\n",
        seed, cut);
    for (int n = 0; n < COUNT - cut; n++)
      expect(n, 7, (float)n + 1);
  }
}

// A value that is loaded and stored elsewhere, before and behind another store.
static void swaps(void **state) {
  (void)state;
  BOTH_WAYS(seed, cut) {
    run("ld.global.f32 %u, [%x];\nld.global.f32 %v, [%y];\n"
        "st.global.f32 [%y], %u;\nst.global.f32 [%x], %v;\n",
        seed, cut);
    for (int n = 0; n < COUNT - cut; n++)
      expect(n, (float)(3 * n + 1), (float)n);
  }
}

// What is computed and stored is used again, behind a store to its place.
static void uses_what_it_stored(void **state) {
  (void)state;
  BOTH_WAYS(seed, cut) {
    run("ld.global.f32 %u, [%x];\nadd.f32 %v, %u, 0f3F800000;\n"
        "st.global.f32 [%y], %v;\nst.global.f32 [%y], %u;\n"
        "add.f32 %w, %v, %v;\nst.global.f32 [%x], %w;\n",
        seed, cut);
    for (int n = 0; n < COUNT - cut; n++)
      expect(n, (float)(2 * n + 2), (float)n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computes),
      cmocka_unit_test(counts),
      cmocka_unit_test(a_store_comes_before_the_use),
      cmocka_unit_test(swaps),
      cmocka_unit_test(uses_what_it_stored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

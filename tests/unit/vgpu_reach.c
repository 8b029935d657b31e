// SPDX-License-Identifier: Apache-2.0
// Addresses that lie in memory, and not in the memory that is meant: another
// variable's, a returned function's, constants', and what may be written there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".const .align 4 .u32 c = 5;\n"
    ".func (.reg .b64 %%at) gives_its_own() {\n"
    ".local .align 8 .b8 d[16];\n.reg .b64 %%l;\n.reg .b32 %%v;\n"
    "mov.u32 %%v, 1;\nst.local.u32 [d], %%v;\n"
    "mov.u64 %%l, d;\ncvta.local.u64 %%at, %%l;\nret;\n}\n"
    ".visible .entry k(.param .u64 out) {\n"
    ".shared .align 16 .b8 s[16];\n.shared .align 16 .b8 t[16];\n"
    ".local .align 8 .b8 l[16];\n"
    ".reg .b64 %%p, %%a;\n.reg .b32 %%r<4>;\n"
    "ld.param.u64 %%p, [out];\nmov.u32 %%r0, 1;\n"
    "st.shared.u32 [t], %%r0;\nst.shared.u32 [s], %%r0;\n"
    "st.local.u32 [l], %%r0;\n"
    "%s"
    "ret;\n}\n";

static void expect(const char *body, enum err wanted, const char *words) {
  static const uint32_t zeros[8];
  struct gpu_finding found[4];
  char text[3000];
  snprintf(text, sizeof text, kernel, body);
  open_device();
  ok(back->module_load(device, text, strlen(text), &module, &info));
  gpu_ptr out = upload(zeros, sizeof zeros);
  struct gpu_launch l = {.grid = {1, 1, 1},
                         .block = {1, 1, 1},
                         .params = &out,
                         .param_bytes = sizeof out};
  ok(back->function_get(device, module, "k", &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  enum err err = finish();
  int count = back->findings(device, found, 4);
  if (err != wanted || count != (wanted != ERR_OK) ||
      (count && !strstr(found[0].text, words)))
    fail_msg("%s%s: %s", body, err_kind(err), count ? found[0].text : "");
  tear_down(NULL);
}

static void a_variable_ends_where_the_next_begins(void **state) {
  (void)state;
  expect("ld.shared.u32 %r1, [s];\n", ERR_OK, "");
  expect("st.shared.u32 [s+12], %r0;\n", ERR_OK, "");
  expect("st.shared.u32 [s+16], %r0;\n", ERR_OUT_OF_BOUNDS, "");
  expect("ld.shared.u32 %r1, [t+-16];\n", ERR_OUT_OF_BOUNDS, "");
  expect("st.local.u32 [l+12], %r0;\n", ERR_OK, "");
  expect("st.local.u32 [l+16], %r0;\n", ERR_OUT_OF_BOUNDS, "");
}

// The memory is there still: for the next function that is called.
static void what_a_function_had_ends_with_it(void **state) {
  (void)state;
  expect("call (%a), gives_its_own;\nld.u32 %r1, [%a];\n", ERR_OUT_OF_BOUNDS,
         "has returned");
}

static void constants_are_read(void **state) {
  (void)state;
  expect("mov.u64 %a, c;\ncvta.const.u64 %a, %a;\nld.u32 %r1, [%a];\n"
         "st.global.u32 [%p], %r1;\n",
         ERR_OK, "");
  expect("mov.u64 %a, c;\ncvta.const.u64 %a, %a;\nst.u32 [%a], %r0;\n",
         ERR_OUT_OF_BOUNDS, "cannot be written");
  expect("mov.u64 %a, c;\ncvta.const.u64 %a, %a;\n"
         "atom.add.u32 %r1, [%a], 1;\n",
         ERR_OUT_OF_BOUNDS, "cannot be written");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_variable_ends_where_the_next_begins),
      cmocka_unit_test(what_a_function_had_ends_with_it),
      cmocka_unit_test(constants_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

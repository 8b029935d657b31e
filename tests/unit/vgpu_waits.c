// SPDX-License-Identifier: Apache-2.0
// Which loops only wait, so that a warp's turn ends after a round of them
// (gpu/vgpu/code/spin.c).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/vgpu/device/module.h"
#include "gpu/vgpu/ops/ops.h"

// Has a loop of these instructions, which goes on while %r0 is 0, a branch that ends
// the turn?
static bool waits(const char *loop) {
  struct vg_memory memory;
  struct vg_module *m;
  struct err_info e;
  bool is_there = false;
  char *text = xasprintf(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 flag) {\n"
      ".reg .b64 %%rd<3>;\n.reg .b32 %%r<8>;\n.reg .pred %%p;\n"
      "ld.param.u64 %%rd0, [flag];\nadd.u64 %%rd1, %%rd0, 128;\n"
      "again:\n%s\nsetp.eq.u32 %%p, %%r0, 0;\n@%%p bra again;\nret;\n}\n",
      loop);
  vg_memory_init(&memory, 1 << 20, 0);
  if (vg_module_load(&memory, text, strlen(text), &m, &e))
    fail_msg("%s: %s", loop, e.text);
  const struct vg_code *c = vg_module_kernel(m, "k");
  for (int i = 0; i < c->insn_count; i++)
    is_there = is_there || c->insns[i].run == vg_op_bra_wait;
  vg_module_free(&memory, m);
  vg_memory_close(&memory);
  free(text);
  return is_there;
}

#define POLL "ld.volatile.global.u32 %r0, [%rd0];\n"

static void waits_for_another(void **state) {
  (void)state;
  assert_true(waits(POLL));
  assert_true(waits("ld.acquire.gpu.global.u32 %r0, [%rd0];\n"));
  assert_true(waits("atom.global.add.u32 %r0, [%rd0], 0;\n"));
  assert_true(waits(POLL "ld.volatile.global.u32 %r1, [%rd1];\n"
                         "and.b32 %r0, %r0, %r1;\n"));
}

static void reads_what_nobody_orders(void **state) {
  (void)state;
  assert_false(waits("ld.global.u32 %r0, [%rd0];\n"));
  assert_false(waits("add.u32 %r0, %r0, 1;\n"));
}

static void goes_on_to_other_places(void **state) {
  (void)state;
  assert_false(waits(POLL "add.u64 %rd0, %rd0, 4;\n"));
}

// Whoever waits changes nothing.
static void works_while_it_looks(void **state) {
  (void)state;
  assert_false(waits(POLL "st.global.u32 [%rd1], %r0;\n"));
  assert_false(waits(POLL "discard.global.L2 [%rd1], 128;\n"));
  assert_false(waits(POLL "red.global.add.u32 [%rd1], 1;\n"));
  assert_false(waits(POLL "atom.global.add.u32 %r1, [%rd1], 1;\n"));
  assert_false(waits(POLL "bar.sync 0;\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waits_for_another),
      cmocka_unit_test(reads_what_nobody_orders),
      cmocka_unit_test(goes_on_to_other_places),
      cmocka_unit_test(works_while_it_looks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// The quick look at shared memory: it tells apart what is as wide as the
// kernel's narrowest access, in each of the ways in which lanes come.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/vgpu/module.h"
#include "gpu/vgpu/race_spy.h"
#include "gpu/vgpu/watch.h"

static struct vg_watch watch;
static struct vg_grid grid;
static struct vg_block block;
static struct vg_warp warp;
static uint8_t defined[1024];

static void begin(int shift) {
  atomic_store(&watch.is_suspicious, false);
  grid.watch = &watch;
  block = (struct vg_block){.grid = &grid, .barrier_clock = 1};
  memset(defined, 1, sizeof defined);
  block.spy = vg_shared_spy_new(sizeof defined, shift, defined);
  warp = (struct vg_warp){.block = &block};
}

// Whether anything was suspicious since begin().
static bool end(void) {
  vg_shared_spy_free(block.spy);
  return atomic_load(&watch.is_suspicious);
}

static void use(int lane, uint32_t offset, uint32_t bytes,
                enum gpu_access access) {
  vg_shared_spy_use(&warp, block.spy, lane, offset, bytes, access);
}

static void tells_neighbours_apart(void **state) {
  (void)state;
  for (int shift = 0; shift <= 2; shift++) {
    begin(shift);
    use(0, 4, 1, GPU_WRITE);
    use(1, 5, 1, GPU_WRITE);
    assert_int_equal(end(), shift > 0);
    begin(shift);
    use(0, 4, 2, GPU_WRITE);
    use(1, 6, 2, GPU_READ);
    assert_int_equal(end(), shift > 1);
    begin(shift);
    use(0, 4, 4, GPU_WRITE);
    use(1, 8, 4, GPU_READ);
    assert_false(end());
  }
}

static void finds_two_users_of_a_byte(void **state) {
  (void)state;
  for (int shift = 0; shift <= 2; shift++) {
    begin(shift);
    use(0, 7, 1, GPU_WRITE);
    use(1, 4, 4, GPU_READ);
    assert_true(end());
    begin(shift);
    use(0, 4, 4, GPU_READ);
    use(1, 7, 1, GPU_WRITE);
    assert_true(end());
    begin(shift);
    use(0, 7, 1, GPU_WRITE);
    block.barrier_clock++;
    use(1, 7, 1, GPU_READ);
    assert_false(end());
  }
}

// Rows of words beside single bytes: thread 1 has the first word of the row.
static void looks_at_rows(void **state) {
  (void)state;
  for (int shift = 0; shift <= 2; shift++)
    for (int is_store = 0; is_store < 2; is_store++)
      for (uint32_t at = 64; at < 64 + 64; at += 63) {
        int lane = (int)(at - 64) / 4;
        begin(shift);
        assert_true(vg_shared_spy_row(&block, 1, 64, is_store));
        use(lane, at, 1, GPU_WRITE);
        assert_false(end());
        begin(shift);
        use(lane + 1, at, 1, GPU_WRITE);
        assert_true(vg_shared_spy_row(&block, 1, 64, is_store));
        assert_true(end());
        begin(shift);
        assert_true(vg_shared_spy_row(&block, 1, 64, is_store));
        use(lane + 1, at, 1, GPU_WRITE);
        assert_true(end());
        begin(shift);
        assert_true(vg_shared_spy_row(&block, 1, 64, is_store));
        use(lane + 1, at, 1, GPU_READ);
        assert_int_equal(end(), is_store);
      }
}

static void looks_at_one_word_of_all(void **state) {
  (void)state;
  for (int shift = 0; shift <= 2; shift++)
    for (uint32_t byte = 0; byte < 4; byte++) {
      begin(shift);
      assert_true(vg_shared_spy_same(&block, 64));
      use(0, 64 + byte, 1, GPU_READ);
      assert_false(end());
      begin(shift);
      assert_true(vg_shared_spy_same(&block, 64));
      use(0, 64 + byte, 1, GPU_WRITE);
      assert_true(end());
      begin(shift);
      use(0, 64 + byte, 1, GPU_WRITE);
      assert_true(vg_shared_spy_same(&block, 64));
      assert_true(end());
    }
}

static void leaves_undefined_words_to_others(void **state) {
  (void)state;
  for (int shift = 0; shift <= 2; shift++)
    for (uint32_t hole = 0; hole < 64; hole += 9) {
      begin(shift);
      defined[64 + hole] = 0;
      assert_false(vg_shared_spy_row(&block, 1, 64, false));
      assert_true(vg_shared_spy_row(&block, 1, 64, true));
      assert_int_equal(defined[64 + hole], 1);
      assert_false(end());
    }
}

// What one kernel does to bytes does not make another's units narrow; what a
// function does that both may call, does.
static void units_are_each_kernels_own(void **state) {
  static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
  static const char kernels[] =
      ".shared .align 4 .b8 s[64];\n"
      ".visible .entry bytes() {\n.reg .b32 r;\nmov.u32 r, 1;\n"
      "st.shared.u8 [s], r;\nret;\n}\n"
      ".visible .entry words() {\n.reg .b32 r;\nmov.u32 r, 1;\n"
      "st.shared.u32 [s], r;\nret;\n}\n";
  static const char function[] =
      ".func halves() {\n.reg .b16 h;\nmov.u16 h, 1;\n"
      "st.shared.u16 [s+2], h;\nret;\n}\n";
  (void)state;
  for (int with = 0; with < 2; with++) {
    struct vg_memory memory;
    struct vg_module *m;
    struct err_info e;
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s", head, kernels, with ? function : "");
    vg_memory_init(&memory, 1 << 20, 0);
    assert_int_equal(vg_module_load(&memory, text, strlen(text), &m, &e),
                     ERR_OK);
    assert_int_equal(vg_module_kernel(m, "bytes")->shared_shift, 0);
    assert_int_equal(vg_module_kernel(m, "words")->shared_shift, with ? 1 : 2);
    vg_module_free(&memory, m);
    vg_memory_close(&memory);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_neighbours_apart),
      cmocka_unit_test(finds_two_users_of_a_byte),
      cmocka_unit_test(looks_at_rows),
      cmocka_unit_test(looks_at_one_word_of_all),
      cmocka_unit_test(leaves_undefined_words_to_others),
      cmocka_unit_test(units_are_each_kernels_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

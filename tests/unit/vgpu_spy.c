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

#include "gpu/vgpu/check/race_spy.h"
#include "gpu/vgpu/check/watch.h"
#include "gpu/vgpu/device/module.h"
#include "gpu/vgpu/launch.h"

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

// Runs of any length that start anywhere, in units, also with lanes that are
// off; lane 3 has the first.
static void looks_at_runs(void **state) {
  (void)state;
  for (int shift = 0; shift <= 2; shift++)
    for (uint32_t count = 1, gaps = 0; count <= 29;
         count += gaps ? 7 : 0, gaps = gaps ? 0 : 0x0AAC4444)
      for (uint32_t unit = 8; unit < 50; unit++)
        for (int n = 0; n < 4; n++) {
          bool is_store = n & 1, is_first = n & 2;
          vg_mask m = ((1u << count) - 1) & ~gaps;
          bool is_own = unit >= 10 && unit < 10 + count && m >> (unit - 10) & 1;
          uint32_t at = unit << shift, bytes = 1u << shift;
          int lane = is_own ? (int)(unit - 10) + 3 : 0;
          begin(shift); // their own thread
          assert_true(vg_shared_spy_run(&block, 4, 10u << shift, m, is_store));
          use(lane, at, bytes, GPU_WRITE);
          assert_false(end());
          begin(shift); // another
          if (is_first)
            use(lane + 1, at, bytes, GPU_WRITE);
          assert_true(vg_shared_spy_run(&block, 4, 10u << shift, m, is_store));
          if (!is_first)
            use(lane + 1, at, bytes, GPU_WRITE);
          assert_int_equal(end(), is_own);
          begin(shift); // one that reads
          assert_true(vg_shared_spy_run(&block, 4, 10u << shift, m, is_store));
          use(lane + 1, at, bytes, GPU_READ);
          assert_int_equal(end(), is_own && is_store);
          begin(shift); // one that has read
          use(lane + 1, at, bytes, GPU_READ);
          assert_true(vg_shared_spy_run(&block, 4, 10u << shift, m, is_store));
          assert_int_equal(end(), is_own && is_store);
          begin(shift); // before the barrier
          use(lane + 1, at, bytes, GPU_WRITE);
          block.barrier_clock++;
          assert_true(vg_shared_spy_run(&block, 4, 10u << shift, m, is_store));
          assert_false(end());
          begin(shift); // undefined
          defined[at + bytes - 1] = 0;
          assert_int_equal(
              vg_shared_spy_run(&block, 4, 10u << shift, m, is_store),
              is_store || !is_own);
          assert_int_equal(defined[at + bytes - 1], is_store && is_own);
          assert_false(end());
        }
}

// Words that lie apart, as a column of a tile does.
static void looks_at_words_apart(void **state) {
  (void)state;
  for (int shift = 0; shift <= 2; shift++)
    for (int lane = 0; lane < VG_LANES; lane++)
      for (int n = 0; n < 4; n++) {
        bool is_other = n & 1, is_first = n & 2;
        uint32_t offset[VG_LANES];
        for (int l = 0; l < VG_LANES; l++)
          offset[l] = (uint32_t)(l * 7 % VG_LANES) * 28;
        begin(shift);
        if (is_first)
          use(is_other ? lane + 1 : lane, offset[lane], 4, GPU_WRITE);
        assert_int_equal(
            vg_shared_spy_read_words(&warp, block.spy, VG_ALL, offset), 0);
        if (!is_first)
          use(is_other ? lane + 1 : lane, offset[lane], 4, GPU_WRITE);
        assert_int_equal(end(), is_other);
        begin(shift);
        defined[offset[lane] + 2] = 0;
        assert_int_equal(
            vg_shared_spy_read_words(&warp, block.spy, VG_ALL, offset),
            1u << lane);
        assert_false(end());
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
      cmocka_unit_test(looks_at_runs),
      cmocka_unit_test(looks_at_words_apart),
      cmocka_unit_test(looks_at_one_word_of_all),
      cmocka_unit_test(leaves_undefined_words_to_others),
      cmocka_unit_test(units_are_each_kernels_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

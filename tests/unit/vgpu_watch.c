// SPDX-License-Identifier: Apache-2.0
// Global memory that a launch may write: which it is, the quick look at runs of
// lanes, and tables that go from launch to launch.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/vgpu/check/spy.h"
#include "gpu/vgpu/check/watch.h"
#include "gpu/vgpu/device/module.h"
#include "gpu/vgpu/launch.h"

// ---- Tables ----

static struct vg_memory memory;

static struct vg_alloc *array_of(uint64_t bytes) {
  uint64_t address;
  struct err_info e;
  assert_int_equal(
      vg_alloc_new(&memory, bytes, VG_ALLOC_MEMORY, true, &address, &e),
      ERR_OK);
  return vg_slot(&memory, address >> VG_SLOT_BITS);
}

static uint64_t rows_of(const struct vg_alloc *a) {
  return a->bytes / 4 / VG_ROW_UNITS;
}

static struct vg_kept *tables_of(const struct vg_alloc *a) {
  struct vg_kept *k = vg_kept_new(&memory, a, rows_of(a));
  assert_non_null(k);
  return k;
}

static void add_sum(struct vg_kept *k, uint32_t row) {
  vg_kept_touch_row(k, row);
  k->sums[row].wrote = 1;
}

static void clean_tables_serve_the_next_launch(void **state) {
  (void)state;
  vg_memory_init(&memory, 1 << 30, 0);
  struct vg_alloc *a = array_of(1 << 20), *b = array_of(1 << 20);
  struct vg_kept *first = tables_of(a);
  assert_true(vg_kept_page(first, a, 3));
  assert_false(vg_kept_page(first, a, 3));
  add_sum(first, 100);
  vg_kept_free(&memory, first);
  struct vg_kept *next = tables_of(b);
  assert_ptr_equal(next, first);
  assert_int_equal(next->sums[100].wrote, 0);
  memset(b->data, 7, 1 << 14);
  assert_true(vg_kept_page(next, b, 3));
  memset(b->data, 8, 1 << 14);
  vg_kept_put_back(next, b);
  assert_int_equal(b->data[3 * VG_PAGE_BYTES], 7);
  assert_int_equal(b->data[2 * VG_PAGE_BYTES], 8);
  vg_kept_free(&memory, next);
  // Not those of an array of another size, or of another narrowest access.
  struct vg_alloc *c = array_of(1 << 19);
  struct vg_kept *of_c = tables_of(c);
  assert_ptr_not_equal(of_c, first);
  vg_kept_free(&memory, of_c);
  struct vg_kept *narrow = vg_kept_new(&memory, b, rows_of(b) * 4);
  assert_ptr_not_equal(narrow, first);
  vg_kept_free(&memory, narrow);
  vg_memory_close(&memory);
}

// More is touched than is noted: then all is put back, and the tables go.
static void large_launches_leave_nothing(void **state) {
  (void)state;
  vg_memory_init(&memory, 1 << 30, 0);
  struct vg_alloc *a = array_of(1 << 22);
  for (int in_rows = 0; in_rows < 2; in_rows++) {
    struct vg_kept *k = tables_of(a);
    memset(a->data, 1, a->bytes);
    for (uint32_t n = 0; n <= VG_KEPT_PAGES; n++)
      assert_true(in_rows || vg_kept_page(k, a, n));
    for (uint32_t n = 0; in_rows && n <= VG_KEPT_ROWS; n++)
      add_sum(k, n);
    memset(a->data, 2, a->bytes);
    vg_kept_put_back(k, a);
    assert_int_equal(a->data[(VG_KEPT_PAGES + 1) * VG_PAGE_BYTES - 1],
                     in_rows ? 2 : 1);
    vg_kept_free(&memory, k);
    k = tables_of(a);
    for (uint32_t n = 0; n <= VG_KEPT_PAGES; n++)
      assert_true(vg_kept_page(k, a, n));
    for (uint32_t n = 0; n <= VG_KEPT_ROWS; n++)
      assert_int_equal(k->sums[n].wrote, 0);
    vg_kept_free(&memory, k);
  }
  vg_memory_close(&memory);
}

// ---- Runs of lanes ----

static struct vg_watch watch;
static struct vg_grid grid;
static struct vg_block block;
static struct vg_worker worker;
static struct vg_warp warp;
static struct vg_watched watched;
static uint64_t offset[VG_LANES];

static void begin(void) {
  vg_memory_init(&memory, 1 << 20, 0);
  watch = (struct vg_watch){.grid = &grid, .unit_shift = 2};
  grid.watch = &watch;
  block = (struct vg_block){.grid = &grid, .barrier_clock = 1, .warps = &warp};
  worker = (struct vg_worker){.grid = &grid};
  warp = (struct vg_warp){.block = &block, .worker = &worker};
  struct vg_alloc *a = array_of(1 << 12);
  watched = (struct vg_watched){.watch = &watch,
                                .alloc = a,
                                .base = VG_WINDOW(VG_SLOT_FIRST),
                                .kept = tables_of(a)};
  a->watched = &watched;
}

// Whether anything was suspicious since begin().
static bool end(void) {
  bool is = atomic_load(&watch.is_suspicious);
  vg_spy_free(worker.spy);
  vg_kept_free(&memory, watched.kept);
  vg_memory_close(&memory);
  return is;
}

static void use(vg_mask m, enum gpu_access access) {
  static struct ptx_insn ptx;
  static const struct vg_insn i = {.ptx = &ptx};
  vg_on_global(&warp, &i, m, watched.alloc,
               (struct vg_spans){offset, 4, access});
}

static void use_one(int lane, uint64_t unit, enum gpu_access access) {
  offset[lane] = unit * 4;
  use(1u << lane, access);
}

// Lanes 0 to 9 have units 20 to 29, the others units 50 to 71: two runs, the
// second of which ends in another row. Lanes 15 and 16 take no part.
enum { OUT = 3 << 15 };

static void use_runs(enum gpu_access access) {
  for (uint64_t l = 0; l < VG_LANES; l++)
    offset[l] = (l < 10 ? 20 + l : 40 + l) * 4;
  use(VG_ALL & ~(vg_mask)OUT, access);
}

static bool is_of_runs(uint64_t unit) {
  return (unit >= 20 && unit < 30) ||
         (unit >= 50 && unit < 72 && unit != 55 && unit != 56);
}

static void looks_at_each_lane_of_runs(void **state) {
  (void)state;
  for (uint64_t unit = 10; unit < 80; unit++) {
    bool is = is_of_runs(unit);
    begin();
    use_runs(GPU_WRITE);
    use_one(is ? (int)(unit - (unit < 30 ? 20 : 40)) : 0, unit, GPU_WRITE);
    assert_false(end()); // its own
    for (int first = 0; first < 2; first++)
      for (int reads = 0; reads < 2; reads++) {
        begin();
        if (first)
          use_runs(GPU_WRITE);
        warp.first_thread = 32;
        use_one(0, unit, reads ? GPU_READ : GPU_WRITE);
        warp.first_thread = 0;
        if (!first)
          use_runs(GPU_WRITE);
        assert_int_equal(end(), is);
      }
  }
}

// The row that was found last is not one of the block before.
static void forgets_rows_with_their_block(void **state) {
  (void)state;
  for (int again = 0; again < 2; again++) {
    begin();
    use_one(0, 7, GPU_WRITE);
    vg_spy_block_ended(&block);
    block.barrier_clock++;
    use_one(0, again ? 7 : 8, GPU_WRITE);
    vg_spy_block_ended(&block);
    assert_int_equal(end(), again);
  }
}

// Of one block, or each of its own.
static void tells_two_users_of_a_unit(void **state) {
  (void)state;
  static const enum gpu_access all[] = {GPU_READ, GPU_WRITE, GPU_ATOMIC};
  for (int n = 0; n < 18; n++) {
    enum gpu_access first = all[n % 3], second = all[n / 3 % 3];
    begin();
    use_one(0, 7, first);
    if (n >= 9) {
      vg_spy_block_ended(&block);
      block.barrier_clock++;
    }
    warp.first_thread = 32;
    use_one(0, 7, second);
    warp.first_thread = 0;
    vg_spy_block_ended(&block);
    assert_int_equal(end(), first != second || first == GPU_WRITE);
  }
}

// ---- What a kernel may write ----

static const char product[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry product(.param .u64 a, .param .u64 b, .param .u64 out) {\n"
    ".reg .b64 %rd<3>;\n.reg .b32 %r<16>;\n.reg .f32 %f<8>;\n"
    "ld.param.u64 %rd0, [a];\nld.param.u64 %rd1, [b];\n"
    "ld.param.u64 %rd2, [out];\n"
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
    "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%rd0], 16;\n"
    "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 "
    "{%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, [%rd1], 16;\n"
    "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
    "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1], 16;\n"
    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], "
    "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, 16;\nret;\n}\n";

static void matrix_loads_write_nothing(void **state) {
  struct vg_module *m;
  struct err_info e;
  (void)state;
  vg_memory_init(&memory, 1 << 20, 0);
  assert_int_equal(vg_module_load(&memory, product, strlen(product), &m, &e),
                   ERR_OK);
  assert_int_equal(vg_module_kernel(m, "product")->written, 1 << 2);
  vg_module_free(&memory, m);
  vg_memory_close(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clean_tables_serve_the_next_launch),
      cmocka_unit_test(large_launches_leave_nothing),
      cmocka_unit_test(looks_at_each_lane_of_runs),
      cmocka_unit_test(forgets_rows_with_their_block),
      cmocka_unit_test(tells_two_users_of_a_unit),
      cmocka_unit_test(matrix_loads_write_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

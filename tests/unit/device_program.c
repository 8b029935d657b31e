// SPDX-License-Identifier: Apache-2.0
// The shipped warpshop-device, found as the program finds it: a PTX kernel
// goes through the ring to the virtual GPU and back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/remote/arena.h"
#include "gpu/remote/remote.h"

// out[i] += 1 for i < n, one thread a number; and a kernel that never ends.
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 p, .param .u32 n)\n{\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<7>;\n  .reg .b64 %rd<5>;\n"
    "  ld.param.u64 %rd1, [p];\n  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.s32 %p1, %r5, %r1;\n  @%p1 bra done;\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n  mul.wide.s32 %rd3, %r5, 4;\n"
    "  add.s64 %rd4, %rd2, %rd3;\n  ld.global.u32 %r6, [%rd4];\n"
    "  add.s32 %r6, %r6, 1;\n  st.global.u32 [%rd4], %r6;\n"
    "done:\n  ret;\n}\n"
    ".visible .entry endless()\n{\nagain:\n  bra again;\n}\n";

static struct arena *arena;
static struct gpu_device *device;
static struct err_info e;
static bool is_cancelled;

static bool ask_cancelled(void *context) {
  (void)context;
  return is_cancelled;
}

static void ok(enum err err) {
  if (err)
    print_message("%s: %s\n", err_kind(err), e.text);
  assert_int_equal(err, ERR_OK);
}

static int set_up(void **state) {
  (void)state;
  struct remote_options options = {.device = "virtual:0",
                                   .is_cancelled = ask_cancelled};
  is_cancelled = false;
  if (arena_new(&arena, &e))
    return -1;
  options.arena = arena;
  return remote_open(&options, &device, &e) ? -1 : 0;
}

static int tear_down(void **state) {
  (void)state;
  device->backend->close(device);
  arena_free(arena);
  return 0;
}

static gpu_handle get_kernel(const char *name) {
  gpu_handle module, function;
  struct gpu_function_info info;
  ok(device->backend->module_load(device, ptx, sizeof ptx - 1, &module, &e));
  ok(device->backend->function_get(device, module, name, &function, &info, &e));
  return function;
}

static enum err launch(gpu_handle function, unsigned blocks, gpu_ptr p,
                       uint32_t n) {
  struct {
    gpu_ptr p;
    uint32_t n, pad;
  } params = {p, n, 0};
  struct gpu_launch l = {.function = function,
                         .grid = {blocks, 1, 1},
                         .block = {128, 1, 1},
                         .param_bytes = p ? 12 : 0,
                         .params = &params};
  return device->backend->launch(device, &l, &e);
}

enum { COUNT = 4096 };

static void add_there_and_back(void **state) {
  (void)state;
  void *memory;
  gpu_ptr p;
  ok(arena_alloc(arena, COUNT * 4, &memory, &e));
  uint32_t *data = memory;
  for (uint32_t i = 0; i < COUNT; i++)
    data[i] = i;
  ok(device->backend->mem_alloc(device, COUNT * 4, 0, &p, &e));
  ok(device->backend->copy_in(device, p, data, COUNT * 4, 0, &e));
  gpu_handle add_one = get_kernel("add_one");
  for (int i = 0; i < 10; i++)
    ok(launch(add_one, COUNT / 128, p, COUNT));
  ok(device->backend->copy_out(device, data, p, COUNT * 4, 0, &e));
  ok(remote_wait(device, 0, &e));
  for (uint32_t i = 0; i < COUNT; i++)
    assert_int_equal(data[i], i + 10);
  ok(device->backend->mem_free(device, p, &e));
  ok(remote_wait(device, 0, &e));
}

// What a call fetches by way of the arena, it gives back.
static void questions_leave_the_arena_as_it_was(void **state) {
  (void)state;
  gpu_ptr p;
  struct gpu_placement about;
  struct gpu_block_place *places;
  ok(device->backend->mem_alloc(device, COUNT * 4, 0, &p, &e));
  ok(device->backend->mem_set(
      device, &(struct gpu_fill){.to = p, .width = 4, .count = COUNT}, &e));
  ok(launch(get_kernel("add_one"), COUNT / 128, p, COUNT));
  ok(remote_wait(device, 0, &e));
  uint64_t used = arena_used(arena);
  ok(device->backend->placement(device, &about, &places, &e));
  assert_int_equal(about.placed, COUNT / 128);
  assert_int_equal(arena_used(arena), used);
  free(places);
}

static void out_of_bounds_is_found(void **state) {
  (void)state;
  gpu_ptr p;
  struct gpu_finding found[8];
  ok(device->backend->mem_alloc(device, COUNT * 4, 0, &p, &e));
  ok(device->backend->mem_set(
      device, &(struct gpu_fill){.to = p, .width = 4, .count = COUNT}, &e));
  ok(launch(get_kernel("add_one"), COUNT / 128 + 1, p, COUNT + 128));
  assert_int_equal(remote_wait(device, 0, &e), ERR_OUT_OF_BOUNDS);
  int n = device->backend->findings(device, found, 8);
  assert_true(n >= 1);
  assert_int_equal(found[0].kind, ERR_OUT_OF_BOUNDS);
  assert_int_equal(found[0].base, p);
  assert_int_equal(found[0].base_bytes, COUNT * 4);
  assert_int_equal(found[0].offset, COUNT * 4);
  assert_false(remote_has_died(device));
}

static void endless_loops_are_stopped(void **state) {
  (void)state;
  gpu_handle endless = get_kernel("endless");
  remote_set_deadline(device, 0.2);
  ok(launch(endless, 1, 0, 0));
  assert_int_equal(remote_wait(device, 0, &e), ERR_TIMEOUT);
  assert_false(remote_has_died(device));
  remote_set_deadline(device, 0);
  ok(launch(endless, 1, 0, 0));
  is_cancelled = true;
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  assert_false(remote_has_died(device));
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      T(add_there_and_back),
      T(questions_leave_the_arena_as_it_was),
      T(out_of_bounds_is_found),
      T(endless_loops_are_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// gpu/gpu.h: attribute names and the check of launch limits.
#include "gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct gpu_device_info device = {
    .attributes =
        {
            [GPU_ATTR_MAX_THREADS_PER_BLOCK] = 1024,
            [GPU_ATTR_MAX_BLOCK_DIM_X] = 1024,
            [GPU_ATTR_MAX_BLOCK_DIM_Y] = 1024,
            [GPU_ATTR_MAX_BLOCK_DIM_Z] = 64,
            [GPU_ATTR_MAX_GRID_DIM_X] = 2147483647,
            [GPU_ATTR_MAX_GRID_DIM_Y] = 65535,
            [GPU_ATTR_MAX_GRID_DIM_Z] = 65535,
            [GPU_ATTR_MAX_SHARED_PER_BLOCK] = 49152,
            [GPU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN] = 101376,
        },
};
static const struct gpu_function_info function = {
    .max_threads_per_block = 512, .shared_bytes = 1024, .param_bytes = 8};

static struct gpu_launch launch_of(uint32_t grid, uint32_t block) {
  return (struct gpu_launch){
      .grid = {grid, 1, 1}, .block = {block, 1, 1}, .param_bytes = 8};
}

static void expect(struct gpu_launch l, const char *wanted) {
  struct err_info e = {0};
  enum err err = gpu_check_launch(&device, &function, &l, &e);
  if (!wanted) {
    assert_int_equal(err, ERR_OK);
    return;
  }
  assert_int_equal(err, ERR_LAUNCH);
  if (!strstr(e.text, wanted))
    assert_string_equal(e.text, wanted); // shows both
}

static void good_launches(void **state) {
  (void)state;
  expect(launch_of(1, 1), NULL);
  expect(launch_of(2147483647, 512), NULL);
  struct gpu_launch l = launch_of(1, 512);
  l.shared_bytes = 101376 - 1024;
  expect(l, NULL);
}

static void sizes_of_zero(void **state) {
  (void)state;
  expect(launch_of(0, 32), "grid.x is 0");
  expect(launch_of(32, 0), "block.x is 0");
  struct gpu_launch l = launch_of(1, 1);
  l.block[2] = 0;
  expect(l, "block.z is 0");
}

static void sizes_too_large(void **state) {
  (void)state;
  expect(launch_of(1, 2048), "block.x is 2048; this device allows 1024");
  expect(launch_of(1, 513), "block is 513 threads; this kernel allows 512");
  struct gpu_launch l = launch_of(1, 64);
  l.block[1] = 32;
  expect(l, "block is 2048 threads; this device allows 1024");
  l = launch_of(1, 1);
  l.block[2] = 65;
  expect(l, "block.z is 65; this device allows 64");
  l = launch_of(1, 1);
  l.grid[1] = 65536;
  expect(l, "grid.y is 65536; this device allows 65535");
  // The product must not wrap around.
  l = launch_of(1, 1024);
  l.block[1] = 1024;
  l.block[2] = 64;
  expect(l, "block is 67108864 threads");
}

static void shared_memory(void **state) {
  (void)state;
  struct gpu_launch l = launch_of(1, 1);
  l.shared_bytes = 101376;
  expect(l, "needs 102400 bytes of shared memory (1024 declared");
  l.shared_bytes = UINT32_MAX;
  expect(l, "this device has 101376");
}

static void parameters(void **state) {
  (void)state;
  struct gpu_launch l = launch_of(1, 1);
  l.param_bytes = 4;
  expect(l, "takes 8 bytes of parameters; the launch passes 4");
  l.param_bytes = GPU_MAX_PARAM_BYTES + 1;
  expect(l, "at most 4096");
  l = launch_of(1, 1);
  l.flags = GPU_LAUNCH_COOPERATIVE;
  expect(l, "cooperative");
}

static void attribute_names(void **state) {
  (void)state;
  assert_string_equal(gpu_attribute_name(GPU_ATTR_WARP_SIZE), "warp_size");
  for (int a = 0; a < GPU_ATTR_COUNT; a++)
    assert_true(strlen(gpu_attribute_name(a)) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_launches),   cmocka_unit_test(sizes_of_zero),
      cmocka_unit_test(sizes_too_large), cmocka_unit_test(shared_memory),
      cmocka_unit_test(parameters),      cmocka_unit_test(attribute_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

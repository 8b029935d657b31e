// SPDX-License-Identifier: Apache-2.0
// What queued work may still use stays until the device is idle. The driver is a
// table of a few functions here, so that no GPU is needed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "gpu/cuda/cuda_destroy.h"
#include "gpu/cuda/cuda_module.h"

static int unloaded; // modules
static bool still_runs;

static int fake_unload(void *module) {
  (void)module;
  unloaded++;
  return CUDA_OK;
}

static int fake_query(void *stream) {
  (void)stream;
  return still_runs ? CUDA_NOT_READY : CUDA_OK;
}

enum { PAGE = 1 << 21 };
static int filled, unmapped; // canaries, guarded blocks

static int fake_granularity(size_t *out, const struct cuda_alloc_prop *prop,
                            int option) {
  (void)prop, (void)option;
  *out = PAGE;
  return CUDA_OK;
}

static int fake_reserve(uint64_t *out, size_t bytes, size_t align, uint64_t at,
                        uint64_t flags) {
  (void)bytes, (void)align, (void)at, (void)flags;
  *out = UINT64_C(1) << 40;
  return CUDA_OK;
}

static int fake_create(uint64_t *out, size_t bytes,
                       const struct cuda_alloc_prop *prop, uint64_t flags) {
  (void)bytes, (void)prop, (void)flags;
  *out = 1;
  return CUDA_OK;
}

static int fake_release(uint64_t backing) {
  (void)backing;
  return CUDA_OK;
}

static int fake_map(uint64_t at, size_t bytes, size_t offset, uint64_t backing,
                    uint64_t flags) {
  (void)at, (void)bytes, (void)offset, (void)backing, (void)flags;
  return CUDA_OK;
}

static int fake_set_access(uint64_t at, size_t bytes,
                           const struct cuda_access *access, size_t count) {
  (void)at, (void)bytes, (void)access, (void)count;
  return CUDA_OK;
}

static int fake_unmap(uint64_t at, size_t bytes) {
  (void)at, (void)bytes;
  unmapped++;
  return CUDA_OK;
}

static int fake_fill(uint64_t at, unsigned char value, size_t count,
                     void *stream) {
  (void)at, (void)value, (void)count, (void)stream;
  filled++;
  return CUDA_OK;
}

static struct cuda_driver driver = {
    .module_unload = fake_unload,
    .stream_query = fake_query,
    .vm_granularity = fake_granularity,
    .vm_reserve = fake_reserve,
    .vm_create = fake_create,
    .vm_release = fake_release,
    .vm_map = fake_map,
    .vm_set_access = fake_set_access,
    .vm_unmap = fake_unmap,
    .set_8 = fake_fill,
};

static void unload(struct cuda_device *c) {
  int module = 0;
  struct err_info e = {0};
  gpu_handle h = cuda_add_object(c, OBJECT_MODULE, &module);
  gpu_handle f = cuda_add_object(c, OBJECT_FUNCTION, &module);
  struct object *o;
  assert_int_equal(cuda_get_object(c, OBJECT_FUNCTION, f, &o, &e), ERR_OK);
  o->owner = h;
  assert_int_equal(cuda_module_unload(&c->base, h, &e), ERR_OK);
  // Nobody finds it or its functions any more, whenever its code goes.
  assert_int_not_equal(cuda_get_object(c, OBJECT_MODULE, h, &o, &e), ERR_OK);
  assert_int_not_equal(cuda_get_object(c, OBJECT_FUNCTION, f, &o, &e), ERR_OK);
}

static void end(struct cuda_device *c) {
  free(c->objects);
  free(c->freed);
}

static void an_idle_devices_goes_at_once(void **state) {
  (void)state;
  struct cuda_device c = {.cu = &driver};
  unloaded = 0;
  unload(&c);
  assert_int_equal(unloaded, 1);
  end(&c);
}

static void a_running_kernels_stays(void **state) {
  (void)state;
  struct cuda_device c = {.cu = &driver, .is_busy = true};
  struct err_info e = {0};
  unloaded = 0;
  still_runs = true;
  for (int i = 0; i < 40; i++)
    unload(&c);
  assert_int_equal(gpu_cuda_backend.poll(&c.base, GPU_ALL_STREAMS, &e),
                   ERR_NOT_READY);
  assert_int_equal(unloaded, 0);
  still_runs = false;
  assert_int_equal(gpu_cuda_backend.poll(&c.base, GPU_ALL_STREAMS, &e), ERR_OK);
  assert_int_equal(unloaded, 40);
  assert_int_equal(gpu_cuda_backend.poll(&c.base, GPU_ALL_STREAMS, &e), ERR_OK);
  assert_int_equal(unloaded, 40);
  end(&c);
}

static void alloc_and_free(struct cuda_device *c, size_t bytes) {
  struct err_info e = {0};
  gpu_ptr p;
  filled = unmapped = 0;
  assert_int_equal(
      gpu_cuda_backend.mem_alloc(&c->base, bytes, GPU_ALLOC_GUARDED, &p, &e),
      ERR_OK);
  assert_int_equal(gpu_cuda_backend.mem_free(&c->base, p, &e), ERR_OK);
}

// On a GPU that others use, a fill of a few bytes waits as long as anything does.
static void a_block_stays_until_its_canary_is_there(void **state) {
  (void)state;
  struct cuda_device c = {.cu = &driver, .memory.cu = &driver};
  struct err_info e = {0};
  alloc_and_free(&c, 16); // has none
  assert_int_equal(filled, 0);
  assert_int_equal(unmapped, 1);
  still_runs = true;
  alloc_and_free(&c, 5);
  assert_int_equal(filled, 1);
  assert_int_equal(unmapped, 0);
  assert_int_equal(gpu_cuda_backend.poll(&c.base, GPU_ALL_STREAMS, &e),
                   ERR_NOT_READY);
  assert_int_equal(unmapped, 0);
  still_runs = false;
  assert_int_equal(gpu_cuda_backend.poll(&c.base, GPU_ALL_STREAMS, &e), ERR_OK);
  assert_int_equal(unmapped, 1);
  free(c.memory.blocks);
  free(c.memory.freed);
  end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_idle_devices_goes_at_once),
      cmocka_unit_test(a_running_kernels_stays),
      cmocka_unit_test(a_block_stays_until_its_canary_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

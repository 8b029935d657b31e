// SPDX-License-Identifier: Apache-2.0
// What a kernel may still run from stays until the device is idle. The driver is
// a table of three functions here, so that no GPU is needed.
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

static struct cuda_driver driver = {.module_unload = fake_unload,
                                    .stream_query = fake_query};

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_idle_devices_goes_at_once),
      cmocka_unit_test(a_running_kernels_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

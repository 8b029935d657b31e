// SPDX-License-Identifier: Apache-2.0
// Counted launches: CUPTI is opened with the device, before the server gives up the
// file system, and put around each of them.
#include "gpu/cuda/cuda_hardware.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/cupti/cupti.h"

struct cuda_hardware {
  struct cupti *cupti;
  void *try_module, *try_kernel;
  struct gpu_hardware *list; // not taken yet, the oldest first
  int count, capacity;
};

// ---- The kernel that proves it ----

// Any driver's own compiler takes this.
static const char one_warp[] = ".version 6.4\n"
                               ".target sm_70\n"
                               ".address_size 64\n"
                               ".visible .entry one_warp()\n"
                               "{\n"
                               "  ret;\n"
                               "}\n";

static enum err try_one(void *target, struct err_info *e) {
  struct cuda_device *c = target;
  struct cuda_hardware *h = c->hardware;
  int status = c->cu->module_load(&h->try_module, one_warp);
  if (!status)
    status = c->cu->module_function(&h->try_kernel, h->try_module, "one_warp");
  if (!status)
    status =
        c->cu->launch(h->try_kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
  if (!status)
    status = c->cu->ctx_synchronize();
  return cuda_device_fail(c, status, "trying the counters", e);
}

enum err cuda_hardware_open(struct cuda_device *c, int device,
                            struct err_info *e) {
  struct cupti_target target = {
      .ordinal = device, .try_one = try_one, .target = c};
  c->hardware = xcalloc(1, sizeof *c->hardware);
  enum err err = cuda_device_fail(c, c->cu->ctx_current(&target.context),
                                  "asking for the context", e);
  return err ? err : cupti_open(&target, &c->hardware->cupti, e);
}

void cuda_hardware_close(struct cuda_device *c) {
  struct cuda_hardware *h = c->hardware;
  if (!h)
    return;
  if (!c->failed)
    cupti_close(h->cupti);
  if (h->try_module && !c->failed)
    c->cu->module_unload(h->try_module);
  free(h->list);
  free(h);
  c->hardware = NULL;
}

// ---- Launches ----

enum err cuda_hardware_begin(struct cuda_device *c, struct err_info *e) {
  if (!c->hardware)
    return err_set(e, ERR_UNSUPPORTED,
                   "this server of a real GPU was not started to count: count "
                   "the launch on the virtual GPU");
  int status = c->cu->ctx_synchronize();
  return status ? cuda_device_fail(c, status, "waiting for the GPU", e)
                : cupti_begin(c->hardware->cupti, e);
}

enum err cuda_hardware_end(struct cuda_device *c, int status,
                           struct err_info *e) {
  struct cuda_hardware *h = c->hardware;
  struct gpu_hardware seen = {0};
  struct err_info other;
  if (!status)
    status = c->cu->ctx_synchronize();
  // The launch's own failure is what is told.
  enum err err = cupti_end(h->cupti, &seen, status ? &other : e);
  if (status)
    return cuda_device_fail(c, status, "a launch that is counted", e);
  if (err)
    return err;
  if (h->count == h->capacity) {
    h->capacity = h->capacity ? 2 * h->capacity : 8;
    h->list = xrealloc(h->list, (size_t)h->capacity * sizeof *h->list);
  }
  h->list[h->count++] = seen;
  return ERR_OK;
}

enum err cuda_hardware(struct gpu_device *d, struct gpu_hardware *out,
                       struct err_info *e) {
  struct cuda_hardware *h = DEVICE(d)->hardware;
  if (!h || !h->count)
    return err_set(e, ERR_NOT_FOUND, "no launch was counted");
  *out = h->list[0];
  memmove(h->list, h->list + 1, (size_t)--h->count * sizeof *h->list);
  return ERR_OK;
}

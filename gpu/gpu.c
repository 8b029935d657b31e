// SPDX-License-Identifier: Apache-2.0
// What every device has in common: attribute names, a blocking wait for tests
// and benchmarks, and the check of a launch before any driver sees it.
#include "gpu/gpu.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char *gpu_attribute_name(enum gpu_attribute a) {
  static const char *const names[] = {
#define ATTR(name, lua_name, number) [GPU_ATTR_##name] = lua_name,
#include "gpu/gpu_attr.def"
#undef ATTR
  };
  return (unsigned)a < GPU_ATTR_COUNT ? names[a] : "unknown";
}

int gpu_virtual_count(void) {
  const char *text = getenv("WARPSHOP_VIRTUAL_DEVICES");
  long n = text ? strtol(text, NULL, 10) : 2;
  return n < 1 ? 1 : n > GPU_MAX_VIRTUAL ? GPU_MAX_VIRTUAL : (int)n;
}

enum err gpu_synchronize(struct gpu_device *d, gpu_handle stream,
                         struct err_info *e) {
  enum { SPINS = 1000 };
  for (int i = 0;; i++) {
    enum err err = d->backend->poll(d, stream, e);
    if (err != ERR_NOT_READY)
      return err;
    if (i < SPINS)
      sched_yield();
    else
      nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
}

// ---- Launch limits ----

static const char axis_names[] = "xyz";

static enum err check_axis(const char *what, const uint32_t *size, int axis,
                           int64_t limit, struct err_info *e) {
  if (!size[axis])
    return err_set(e, ERR_LAUNCH,
                   "%s.%c is 0; every direction of a %s has at least 1", what,
                   axis_names[axis], what);
  if (limit > 0 && size[axis] > limit)
    return err_set(e, ERR_LAUNCH,
                   "%s.%c is %" PRIu32 "; this device allows %" PRId64
                   " in that direction",
                   what, axis_names[axis], size[axis], limit);
  return ERR_OK;
}

static enum err check_threads(const struct gpu_device_info *device,
                              const struct gpu_function_info *function,
                              const uint32_t *block, struct err_info *e) {
  uint64_t threads = (uint64_t)block[0] * block[1];
  threads = threads > UINT32_MAX ? UINT32_MAX : threads * block[2];
  int64_t limit = device->attributes[GPU_ATTR_MAX_THREADS_PER_BLOCK];
  if (limit > 0 && threads > (uint64_t)limit)
    return err_set(e, ERR_LAUNCH,
                   "block is %" PRIu64 " threads; this device allows %" PRId64
                   " in a block: use smaller blocks and a larger grid",
                   threads, limit);
  uint32_t own = function->max_threads_per_block;
  if (own && threads > own)
    return err_set(
        e, ERR_LAUNCH,
        "block is %" PRIu64 " threads; this kernel allows %" PRIu32
        " (its registers or its __launch_bounds__ set that): use smaller "
        "blocks",
        threads, own);
  return ERR_OK;
}

static enum err check_shared(const struct gpu_device_info *device,
                             const struct gpu_function_info *function,
                             uint32_t dynamic, struct err_info *e) {
  int64_t limit = device->attributes[GPU_ATTR_MAX_SHARED_PER_BLOCK];
  int64_t optin = device->attributes[GPU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN];
  if (optin > limit)
    limit = optin;
  uint64_t total = (uint64_t)function->shared_bytes + dynamic;
  if (limit <= 0 || total <= (uint64_t)limit)
    return ERR_OK;
  return err_set(e, ERR_LAUNCH,
                 "a block needs %" PRIu64 " bytes of shared memory (%" PRIu32
                 " declared in the kernel, %" PRIu32
                 " asked for at the launch); this device has %" PRId64
                 " for a block",
                 total, function->shared_bytes, dynamic, limit);
}

enum err gpu_check_launch(const struct gpu_device_info *device,
                          const struct gpu_function_info *function,
                          const struct gpu_launch *l, struct err_info *e) {
  enum err err = ERR_OK;
  const int64_t *limits = device->attributes;
  for (int i = 0; i < 3 && !err; i++)
    err =
        check_axis("grid", l->grid, i, limits[GPU_ATTR_MAX_GRID_DIM_X + i], e);
  for (int i = 0; i < 3 && !err; i++)
    err = check_axis("block", l->block, i, limits[GPU_ATTR_MAX_BLOCK_DIM_X + i],
                     e);
  if (!err)
    err = check_threads(device, function, l->block, e);
  if (!err)
    err = check_shared(device, function, l->shared_bytes, e);
  if (err)
    return err;
  if ((l->flags & GPU_LAUNCH_COOPERATIVE) &&
      !limits[GPU_ATTR_COOPERATIVE_LAUNCH])
    return err_set(e, ERR_LAUNCH,
                   "this device cannot launch cooperative kernels, whose "
                   "blocks wait for each other");
  if (l->param_bytes > GPU_MAX_PARAM_BYTES)
    return err_set(e, ERR_LAUNCH,
                   "the kernel's parameters take %" PRIu32
                   " bytes; at most %d are possible: pass a pointer instead",
                   l->param_bytes, GPU_MAX_PARAM_BYTES);
  if (l->param_bytes < function->param_bytes)
    return err_set(e, ERR_LAUNCH,
                   "the kernel takes %" PRIu32
                   " bytes of parameters; the launch passes %" PRIu32,
                   function->param_bytes, l->param_bytes);
  return ERR_OK;
}

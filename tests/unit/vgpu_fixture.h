// SPDX-License-Identifier: Apache-2.0
// A virtual GPU with the kernels of one file, for a whole test program; what
// they print is kept.
#ifndef TESTS_UNIT_VGPU_FIXTURE_H
#define TESTS_UNIT_VGPU_FIXTURE_H

#include "base/file.h"
#include "base/str.h"
#include "gpu/gpu.h"

static const struct gpu_backend *const back = &gpu_virtual_backend;
static struct gpu_device *device;
static gpu_handle module;
static struct err_info info;
static struct str printed = STR_INIT;

static void keep_print(void *context, const char *text, size_t bytes) {
  str_add_bytes(context, text, bytes);
}

static void ok(enum err err) {
  if (err)
    fail_msg("%s: %s", err_kind(err), info.text);
}

static int open_device(void) {
  struct gpu_options options = {.print = keep_print, .context = &printed};
  ok(back->open(0, &options, &device, &info));
  return 0;
}

// Opens the device and loads a file, as "tests/ptx/kernels/checks.ptx".
static inline int open_with(const char *kernels) {
  char *path = file_own(kernels), *text;
  size_t bytes;
  ok(file_read(path, 1 << 24, &text, &bytes, &info));
  open_device();
  ok(back->module_load(device, text, bytes, &module, &info));
  free(text);
  free(path);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  back->close(device);
  str_free(&printed);
  return 0;
}

static enum err finish(void) {
  enum err err;
  while ((err = back->poll(device, GPU_ALL_STREAMS, &info)) == ERR_NOT_READY)
    ;
  return err;
}

static inline gpu_ptr upload(const void *data, size_t bytes) {
  gpu_ptr p = 0;
  ok(back->mem_alloc(device, bytes, 0, &p, &info));
  ok(back->copy_in(device, p, data, bytes, 0, &info));
  ok(finish());
  return p;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The device that the tests of gpu/remote serve. Its kernels do what their
// names say: they hang, crash, fail and count (remote_fake_work.h).
#ifndef TESTS_UNIT_REMOTE_FAKE_H
#define TESTS_UNIT_REMOTE_FAKE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "tests/unit/remote_fake_work.h"

static const struct gpu_backend fake_backend;

static enum err fake_open(int ordinal, const struct gpu_options *options,
                          struct gpu_device **out, struct err_info *e) {
  if (ordinal == 9)
    return err_set(e, ERR_NOT_FOUND, "there is no tenth device");
  struct fake f = {{&fake_backend}, *options};
  *out = memcpy(xmalloc(sizeof f), &f, sizeof f);
  return ERR_OK;
}

static enum err fake_info(struct gpu_device *d, struct gpu_device_info *out,
                          struct err_info *e) {
  (void)d, (void)e;
  memset(out, 0, sizeof *out);
  strcpy(out->name, "fake");
  out->attributes[GPU_ATTR_COUNT - 1] = 77;
  return ERR_OK;
}

static enum err fake_alloc(struct gpu_device *d, size_t bytes, unsigned flags,
                           gpu_ptr *out, struct err_info *e) {
  (void)flags;
  for (int i = 0; i < 64; i++)
    if (!FAKE(d)->blocks[i]) {
      void *p = bytes >> 40 ? NULL : try_malloc(bytes);
      if (!p)
        break;
      *out = FAKE(d)->blocks[i] = (gpu_ptr)(uintptr_t)p;
      return ERR_OK;
    }
  return err_set(e, ERR_NOMEM, "no room for %zu bytes", bytes);
}

static enum err fake_free(struct gpu_device *d, gpu_ptr p, struct err_info *e) {
  for (int i = 0; i < 64; i++)
    if (p && FAKE(d)->blocks[i] == p) {
      free((void *)(uintptr_t)p);
      FAKE(d)->blocks[i] = 0;
      return ERR_OK;
    }
  return err_set(e, ERR_ARGUMENT, "that was never allocated");
}

static enum err fake_copy_in(struct gpu_device *d, gpu_ptr to, const void *from,
                             size_t bytes, gpu_handle stream,
                             struct err_info *e) {
  (void)d, (void)stream, (void)e;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return ERR_OK;
}

static enum err fake_copy_out(struct gpu_device *d, void *to, gpu_ptr from,
                              size_t bytes, gpu_handle stream,
                              struct err_info *e) {
  (void)d, (void)stream;
  if (from == FAKE_NOWHERE)
    return err_set(e, ERR_ARGUMENT, "nothing lies there");
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return ERR_OK;
}

static enum err fake_register(struct gpu_device *d, void *p, size_t bytes,
                              struct err_info *e) {
  (void)d, (void)p, (void)bytes;
  return err_set(e, ERR_NOMEM, "nothing can be pinned here");
}

static enum err fake_module_load(struct gpu_device *d, const void *image,
                                 size_t bytes, gpu_handle *out,
                                 struct err_info *e) {
  (void)d;
  if (bytes < 4 || memcmp(image, "fake", 4) != 0)
    return err_set_at(e, ERR_COMPILE, "add.cu", 3, 14, "not for this device");
  *out = 1;
  return ERR_OK;
}

static enum err fake_module_unload(struct gpu_device *d, gpu_handle module,
                                   struct err_info *e) {
  (void)d, (void)module, (void)e;
  return ERR_OK;
}

static enum err fake_function_get(struct gpu_device *d, gpu_handle module,
                                  const char *name, gpu_handle *out,
                                  struct gpu_function_info *info,
                                  struct err_info *e) {
  (void)d, (void)module;
  for (int i = 0; i < KERNEL_COUNT; i++)
    if (!strcmp(kernel_names[i], name)) {
      *out = (gpu_handle)i;
      *info = (struct gpu_function_info){.registers = 12, .param_count = 2};
      return ERR_OK;
    }
  return err_set(e, ERR_NOT_FOUND, "no kernel %s", name);
}

static enum err fake_create(struct gpu_device *d, gpu_handle *out,
                            struct err_info *e) {
  (void)d, (void)e;
  *out = 5;
  return ERR_OK;
}

static enum err fake_destroy(struct gpu_device *d, gpu_handle h,
                             struct err_info *e) {
  (void)d, (void)h, (void)e;
  return ERR_OK;
}

static enum err fake_record(struct gpu_device *d, gpu_handle event,
                            gpu_handle stream, struct err_info *e) {
  (void)d, (void)e;
  return event == 5 && (stream == 0 || stream == 5) ? ERR_OK : ERR_ARGUMENT;
}

static enum err fake_elapsed(struct gpu_device *d, gpu_handle from,
                             gpu_handle to, double *ms, struct err_info *e) {
  (void)d, (void)from, (void)to, (void)e;
  *ms = 1.25;
  return ERR_OK;
}

static enum err fake_capture_begin(struct gpu_device *d, gpu_handle stream,
                                   struct err_info *e) {
  if (stream != 5)
    return err_set(e, ERR_ARGUMENT, "stream %d", (int)stream);
  FAKE(d)->is_capturing = true;
  FAKE(d)->captured = 0;
  return ERR_OK;
}

static enum err fake_capture_end(struct gpu_device *d, gpu_handle stream,
                                 gpu_handle *graph, struct err_info *e) {
  bool was_capturing = FAKE(d)->is_capturing;
  (void)stream;
  FAKE(d)->is_capturing = false;
  *graph = 6;
  return was_capturing ? ERR_OK : err_set(e, ERR_ARGUMENT, "no capture");
}

// Fails with the number of its launches.
static enum err fake_graph_launch(struct gpu_device *d, gpu_handle graph,
                                  gpu_handle stream, struct err_info *e) {
  (void)stream;
  return err_set(e, ERR_LAUNCH, "graph %d of %d launches", (int)graph,
                 FAKE(d)->captured);
}

static enum err fake_graph_update(struct gpu_device *d, gpu_handle graph,
                                  const struct gpu_launch *l,
                                  struct err_info *e) {
  (void)d, (void)graph;
  return err_set(e, ERR_LAUNCH, "node %u of kernel %d", l->node,
                 (int)l->function);
}

static const struct gpu_graphs fake_graphs = {
    .capture_begin = fake_capture_begin,
    .capture_end = fake_capture_end,
    .launch = fake_graph_launch,
    .upload = fake_graph_launch,
    .update = fake_graph_update,
    .destroy = fake_destroy,
};

// Three lines with the numbers 1, 2, 3; the second time, none.
static enum err fake_counts(struct gpu_device *d, struct gpu_counts *out,
                            struct gpu_line_counts **lines,
                            struct err_info *info) {
  static int calls;
  (void)d;
  if (calls++ % 2)
    return err_set(info, ERR_NOT_FOUND, "no launch was counted");
  memset(out, 0, sizeof *out);
  out->count[GPU_COUNT_LAUNCHES] = 7;
  out->line_count = 3;
  *lines = calloc(3, sizeof **lines);
  for (int i = 0; i < 3; i++)
    (*lines)[i].count[GPU_COUNT_COUNT - 1] =
        (uint64_t)((*lines)[i].line = i + 1);
  return ERR_OK;
}

// What the options said, and then nothing.
static enum err fake_hardware(struct gpu_device *d, struct gpu_hardware *out,
                              struct err_info *e) {
  static int calls;
  if (calls++ % 2)
    return err_set(e, ERR_NOT_FOUND, "no launch was counted");
  *out = (struct gpu_hardware){.passes = FAKE(d)->options.counts_hardware};
  out->value[GPU_HARDWARE_COUNT - 1] = 2.5;
  return ERR_OK;
}

static const struct gpu_backend fake_backend = {
    .name = "fake",
    .open = fake_open,
    .info = fake_info,
    .mem_alloc = fake_alloc,
    .mem_free = fake_free,
    .copy_in = fake_copy_in,
    .copy_out = fake_copy_out,
    .host_register = fake_register,
    .module_load = fake_module_load,
    .module_unload = fake_module_unload,
    .function_get = fake_function_get,
    .launch = fake_launch,
    .stream_create = fake_create,
    .stream_destroy = fake_destroy,
    .event_create = fake_create,
    .event_destroy = fake_destroy,
    .event_record = fake_record,
    .event_elapsed = fake_elapsed,
    .graphs = &fake_graphs,
    .poll = fake_poll,
    .findings = fake_findings,
    .counts = fake_counts,
    .hardware = fake_hardware,
    .cancel = fake_cancel,
    FAKE_DEBUGGER,
};

static int serve(int fd) {
  static const struct remote_device_kind kinds[] = {
      {"fake", &fake_backend},
      {"cuda", &fake_backend, .is_real_gpu = true},
      {NULL},
  };
  return remote_serve_kinds(fd, kinds, NULL);
}

#endif

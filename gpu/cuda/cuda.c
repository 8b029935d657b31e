// SPDX-License-Identifier: Apache-2.0
// The real GPU behind struct gpu_backend, through the driver API.
//
// Theory of operation: one primary context, used from one thread (the device
// server's). Nothing here blocks: completion is polled with cuStreamQuery, and
// what would make the driver wait (freeing memory under a running kernel) is
// kept until the device is idle. A sticky failure (an illegal address, say)
// spoils the context for good; the server reports it and exits.
#include "gpu/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/cuda/cuda_array.h"
#include "gpu/cuda/cuda_comm.h"
#include "gpu/cuda/cuda_destroy.h"
#include "gpu/cuda/cuda_export.h"
#include "gpu/cuda/cuda_graph.h"
#include "gpu/cuda/cuda_hardware.h"
#include "gpu/cuda/cuda_module.h"
#include "gpu/cuda/cuda_share.h"
#include "gpu/nccl/nccl.h"

// ---- Handles ----

gpu_handle cuda_add_object(struct cuda_device *c, enum object_kind kind,
                           void *driver) {
  uint32_t i = 1;
  while (i < c->object_count && c->objects[i].kind)
    i++;
  if (i >= c->object_capacity) {
    uint32_t capacity = c->object_capacity ? 2 * c->object_capacity : 64;
    c->objects = xrealloc(c->objects, capacity * sizeof *c->objects);
    memset(c->objects + c->object_capacity, 0,
           (capacity - c->object_capacity) * sizeof *c->objects);
    c->object_capacity = capacity;
  }
  if (i >= c->object_count)
    c->object_count = i + 1;
  struct object *o = &c->objects[i];
  uint32_t use = o->use + 1;
  *o = (struct object){.kind = kind, .use = use, .driver = driver};
  return (gpu_handle)use << 32 | i;
}

enum err cuda_get_object(struct cuda_device *c, enum object_kind kind,
                         gpu_handle h, struct object **out,
                         struct err_info *e) {
  uint32_t i = (uint32_t)h;
  bool is_live = i && i < c->object_count && c->objects[i].kind == kind &&
                 c->objects[i].use == h >> 32;
  *out = is_live ? &c->objects[i] : NULL;
  return is_live ? ERR_OK : cuda_stale(kind, e);
}

void cuda_drop_object(struct object *o) {
  free(o->function);
  o->function = NULL;
  o->kind = OBJECT_NONE;
}

enum err cuda_stale(enum object_kind kind, struct err_info *e) {
  static const char *const names[] = {
      [OBJECT_NONE] = "handle",     [OBJECT_MODULE] = "module",
      [OBJECT_FUNCTION] = "kernel", [OBJECT_STREAM] = "stream",
      [OBJECT_EVENT] = "event",     [OBJECT_ARRAY] = "CUDA array",
      [OBJECT_TEXTURE] = "texture", [OBJECT_SURFACE] = "surface",
      [OBJECT_GRAPH] = "graph"};
  return err_set(e, ERR_ARGUMENT, "this %s belongs to a device that is gone",
                 names[kind]);
}

enum err cuda_get_stream(struct cuda_device *c, gpu_handle h, void **out,
                         struct err_info *e) {
  struct object *o = NULL;
  enum err err = h ? cuda_get_object(c, OBJECT_STREAM, h, &o, e) : ERR_OK;
  *out = o ? o->driver : NULL; // NULL is the legacy default stream
  return err;
}

enum err cuda_device_fail(struct cuda_device *c, int status, const char *doing,
                          struct err_info *e) {
  if (cuda_is_sticky(status))
    c->failed = status;
  return cuda_fail(c->cu, status, doing, e);
}

// ---- Open and close ----

static int cuda_count(struct err_info *e) {
  struct cuda_driver *cu;
  int n = 0;
  if (cuda_driver_open(&cu, e))
    return 0;
  if (cuda_fail(cu, cu->device_count(&n), "counting GPUs", e))
    n = 0;
  else if (!n)
    err_set(e, ERR_NOT_FOUND, "the NVIDIA driver sees no GPU");
  free(cu);
  return n;
}

// As nvidia-smi writes it. A slice has its own, and is one where it was asked for.
static void describe_uuid(struct cuda_device *c, int device) {
  static const char groups[] = {4, 6, 8, 10, 0}; // bytes before each "-"
  unsigned char bytes[16];
  struct str text = STR_INIT;
  if (!c->cu->device_uuid || c->cu->device_uuid(bytes, device))
    return;
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  bool is_slice = visible && str_starts(visible, "MIG-");
  str_add(&text, is_slice ? "MIG-" : "GPU-");
  for (int i = 0; i < 16; i++)
    str_addf(&text, "%s%02x", i && strchr(groups, i) ? "-" : "", bytes[i]);
  snprintf(c->info.uuid, sizeof c->info.uuid, "%s", text.data);
  str_free(&text);
}

static void describe(struct cuda_device *c, int device) {
  static const int numbers[] = {
#define ATTR(name, lua_name, number) number,
#include "gpu/gpu_attr.def"
#undef ATTR
  };
  struct gpu_device_info *info = &c->info;
  int value, version = 0;
  for (int a = 0; a < GPU_ATTR_COUNT; a++)
    if (!c->cu->device_attribute(&value, numbers[a], device))
      info->attributes[a] = value;
  c->cu->device_name(info->name, sizeof info->name, device);
  snprintf(info->id, sizeof info->id, "cuda:%d", c->ordinal);
  // "a": with the instructions that no later GPU needs to have, such as wgmma.
  int major = (int)info->attributes[GPU_ATTR_COMPUTE_CAPABILITY_MAJOR];
  snprintf(info->arch, sizeof info->arch, "sm_%d%d%s", major,
           (int)info->attributes[GPU_ATTR_COMPUTE_CAPABILITY_MINOR],
           major >= 9 ? "a" : "");
  describe_uuid(c, device);
  c->cu->driver_version(&version);
  snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", version / 1000,
           version % 1000 / 10);
  info->takes_cubin = true;
}

// Makes the device's primary context this thread's.
static enum err enter_context(const struct cuda_driver *cu, int ordinal,
                              int *device, struct err_info *e) {
  void *context;
  char doing[48];
  snprintf(doing, sizeof doing, "opening cuda:%d", ordinal);
  enum err err = cuda_fail(cu, cu->device_get(device, ordinal), doing, e);
  if (!err)
    err = cuda_fail(cu, cu->ctx_retain(&context, *device), doing, e);
  if (err)
    return err;
  err = cuda_fail(cu, cu->ctx_set_current(context), doing, e);
  if (err)
    cu->ctx_release(*device);
  return err;
}

static void cuda_close(struct gpu_device *d) {
  struct cuda_device *c = DEVICE(d);
  if (!c)
    return;
  cuda_hardware_close(c);
  if (!c->failed) {
    cuda_blas_close(c->blas);
    cuda_memory_close(&c->memory);
    for (uint32_t i = 1; i < c->object_count; i++)
      if (c->objects[i].kind == OBJECT_MODULE)
        c->cu->module_unload(c->objects[i].driver);
    c->cu->ctx_release(c->ordinal);
  }
  cuda_graphs_close(c);
  for (uint32_t i = 1; i < c->object_count; i++)
    free(c->objects[i].function);
  free(c->objects);
  nccl_close(c->nccl);
  free(c->mapped);
  free(c->freed);
  free(c->cu);
  free(c);
}

static enum err cuda_open(int ordinal, const struct gpu_options *options,
                          struct gpu_device **out, struct err_info *e) {
  struct cuda_driver *cu; // device printf goes to the process's standard output
  int device = 0;
  enum err err = cuda_driver_open(&cu, e);
  if (err)
    return err;
  err = enter_context(cu, ordinal, &device, e);
  if (err) {
    free(cu);
    return err;
  }
  struct cuda_device *c = xcalloc(1, sizeof *c);
  c->base.backend = &gpu_cuda_backend;
  c->cu = cu;
  c->ordinal = ordinal;
  c->memory = (struct cuda_memory){.cu = cu, .ordinal = ordinal};
  c->memory.is_exportable = cuda_memory_can_export(cu, device);
  describe(c, device);
  c->blas = options->counts_hardware ? NULL : cuda_blas_find();
  if (options->counts_hardware)
    err = cuda_hardware_open(c, device, e);
  if (options->shares_events)
    cuda_share_open(c);
  if (err)
    cuda_close(&c->base);
  *out = err ? NULL : &c->base;
  return err;
}

static enum err cuda_info(struct gpu_device *d, struct gpu_device_info *out,
                          struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  size_t free_bytes = 0, total = 0;
  enum err err = cuda_device_fail(c, c->cu->mem_info(&free_bytes, &total),
                                  "reading memory size", e);
  if (err)
    return err;
  c->info.free_bytes = free_bytes;
  c->info.total_bytes = total;
  *out = c->info;
  return ERR_OK;
}

// ---- Memory ----

static enum err cuda_mem_alloc(struct gpu_device *d, size_t bytes,
                               unsigned flags, gpu_ptr *out,
                               struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  enum err err = cuda_memory_alloc(&c->memory, bytes, flags, out, e);
  if (!err && cuda_memory_has_canary(&c->memory, *out))
    c->is_busy = true; // filling it is work like any other
  return err;
}

// The host's memory stays pinned; only its address is forgotten.
static bool forget_mapped(struct cuda_device *c, gpu_ptr p) {
  for (uint32_t i = 0; i < c->mapped_count; i++)
    if (c->mapped[i] == p) {
      c->mapped[i] = c->mapped[--c->mapped_count];
      return true;
    }
  return false;
}

static enum err cuda_mem_free(struct gpu_device *d, gpu_ptr p,
                              struct err_info *e) {
  if (forget_mapped(DEVICE(d), p))
    return ERR_OK;
  return cuda_memory_free(&DEVICE(d)->memory, p, !DEVICE(d)->is_busy, e);
}

static enum err cuda_copy_in(struct gpu_device *d, gpu_ptr to, const void *from,
                             size_t bytes, gpu_handle stream,
                             struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *s;
  enum err err = cuda_get_stream(c, stream, &s, e);
  if (err || !bytes)
    return err;
  c->is_busy = true;
  return cuda_device_fail(c, c->cu->copy_in(to, from, bytes, s),
                          "copying to the GPU", e);
}

static enum err cuda_copy_out(struct gpu_device *d, void *to, gpu_ptr from,
                              size_t bytes, gpu_handle stream,
                              struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *s;
  enum err err = cuda_get_stream(c, stream, &s, e);
  if (err || !bytes)
    return err;
  c->is_busy = true;
  return cuda_device_fail(c, c->cu->copy_out(to, from, bytes, s),
                          "copying from the GPU", e);
}

static enum err cuda_copy_on(struct gpu_device *d, gpu_ptr to, gpu_ptr from,
                             size_t bytes, gpu_handle stream,
                             struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *s;
  enum err err = cuda_get_stream(c, stream, &s, e);
  if (err || !bytes)
    return err;
  c->is_busy = true;
  return cuda_device_fail(c, c->cu->copy_on(to, from, bytes, s),
                          "copying on the GPU", e);
}

static enum err cuda_mem_set(struct gpu_device *d, const struct gpu_fill *f,
                             struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  const struct cuda_driver *cu = c->cu;
  void *s;
  enum err err = cuda_get_stream(c, f->stream, &s, e);
  if (err || !f->count)
    return err;
  c->is_busy = true;
  int status;
  switch (f->width) {
  case 1: status = cu->set_8(f->to, (uint8_t)f->value, f->count, s); break;
  case 2: status = cu->set_16(f->to, (uint16_t)f->value, f->count, s); break;
  case 4: status = cu->set_32(f->to, f->value, f->count, s); break;
  default:
    return err_set(e, ERR_ARGUMENT, "cannot fill with values of %u bytes",
                   f->width);
  }
  return cuda_device_fail(c, status, "filling device memory", e);
}

// An older driver has no such lines.
static enum err cuda_cache_reset(struct gpu_device *d, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  int status = c->cu->cache_reset ? c->cu->cache_reset() : CUDA_OK;
  return cuda_device_fail(c, status, "resetting the L2 cache", e);
}

enum { HOST_REGISTER_MAPPED = 2 }; // CU_MEMHOSTREGISTER_DEVICEMAP

static enum err cuda_host_register(struct gpu_device *d, void *p, size_t bytes,
                                   struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  int status = c->cu->host_register(p, bytes, HOST_REGISTER_MAPPED);
  return status == CUDA_ALREADY_REGISTERED
             ? ERR_OK
             : cuda_device_fail(c, status, "pinning host memory", e);
}

// The memory was pinned by host_register.
static enum err cuda_host_map(struct gpu_device *d, void *p, size_t bytes,
                              gpu_ptr *out, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  gpu_ptr last = 0;
  size_t reach = bytes ? bytes - 1 : 0;
  int status = c->cu->host_address(out, p, 0);
  if (!status) // it may lie in several pieces, each pinned by itself
    status = c->cu->host_address(&last, (char *)p + reach, 0);
  if (status)
    return cuda_device_fail(c, status, "mapping host memory", e);
  if (last - *out != reach)
    return err_set(e, ERR_UNSUPPORTED,
                   "this GPU sees host memory at other addresses than the "
                   "host: an array of %zu bytes cannot be mapped in one piece",
                   bytes);
  if (c->mapped_count == c->mapped_capacity) {
    c->mapped_capacity = c->mapped_capacity ? 2 * c->mapped_capacity : 16;
    c->mapped = xrealloc(c->mapped, c->mapped_capacity * sizeof *c->mapped);
  }
  c->mapped[c->mapped_count++] = *out;
  return ERR_OK;
}

// ---- Launch ----

static int launch_cooperative(struct cuda_device *c, const struct object *o,
                              const struct gpu_launch *l, void *stream) {
  void *pointers[GPU_MAX_PARAMS];
  for (uint32_t i = 0; i < o->function->param_count; i++)
    pointers[i] = (char *)l->params + o->function->params[i].offset;
  return c->cu->launch_coop(o->driver, l->grid[0], l->grid[1], l->grid[2],
                            l->block[0], l->block[1], l->block[2],
                            l->shared_bytes, stream, pointers);
}

static int launch_plain(struct cuda_device *c, const struct object *o,
                        const struct gpu_launch *l, void *stream) {
  size_t bytes = l->param_bytes;
  void *extra[] = {CUDA_LAUNCH_BUFFER, (void *)l->params,
                   CUDA_LAUNCH_BUFFER_SIZE, &bytes, CUDA_LAUNCH_END};
  return c->cu->launch(o->driver, l->grid[0], l->grid[1], l->grid[2],
                       l->block[0], l->block[1], l->block[2], l->shared_bytes,
                       stream, NULL, bytes ? extra : NULL);
}

static enum err cuda_launch(struct gpu_device *d, const struct gpu_launch *l,
                            struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *o;
  void *stream;
  bool is_counted = l->flags & GPU_LAUNCH_COUNT;
  enum err err = cuda_get_object(c, OBJECT_FUNCTION, l->function, &o, e);
  if (!err)
    err = cuda_get_stream(c, l->stream, &stream, e);
  if (err)
    return err;
  if (o->function->param_bytes > l->param_bytes)
    return err_set(e, ERR_ARGUMENT,
                   "the kernel takes %u parameter bytes, not %u",
                   o->function->param_bytes, l->param_bytes);
  cuda_memory_touch(&c->memory, l->params, l->param_bytes);
  err = is_counted ? cuda_hardware_begin(c, e) : ERR_OK;
  if (err)
    return err;
  c->is_busy = true;
  int status = l->flags & GPU_LAUNCH_COOPERATIVE
                   ? launch_cooperative(c, o, l, stream)
                   : launch_plain(c, o, l, stream);
  if (!status && c->capture)
    status = cuda_graph_note(c, l, stream);
  if (is_counted)
    return cuda_hardware_end(c, status, e);
  return status ? cuda_device_fail(c, status, "launching", e) : ERR_OK;
}

// ---- Matrix products ----

static enum err cuda_product_start(struct gpu_device *d, struct err_info *e) {
  return cuda_blas_start(DEVICE(d)->blas, e);
}

static enum err cuda_product(struct gpu_device *d, const struct gpu_product *p,
                             struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *stream;
  enum err err = cuda_get_stream(c, p->stream, &stream, e);
  if (err)
    return err;
  const gpu_ptr touched[] = {p->a.address, p->b.address, p->c.address};
  cuda_memory_touch(&c->memory, touched, sizeof touched);
  c->is_busy = true;
  return cuda_blas_product(c->blas, p, stream, e);
}

static const char *cuda_library_folder(struct gpu_device *d) {
  return cuda_blas_folder(DEVICE(d)->blas);
}

// ---- Streams and events ----

// Both kinds are made and ended in the same way.
static enum err make(struct cuda_device *c, enum object_kind kind,
                     gpu_handle *out, struct err_info *e) {
  bool is_stream = kind == OBJECT_STREAM;
  void *made;
  int status = is_stream ? c->cu->stream_create(&made, 0)
                         : c->cu->event_create(&made, 0);
  enum err err = cuda_device_fail(
      c, status, is_stream ? "making a stream" : "making an event", e);
  if (!err)
    *out = cuda_add_object(c, kind, made);
  return err;
}

static enum err end(struct cuda_device *c, enum object_kind kind, gpu_handle h,
                    struct err_info *e) {
  bool is_stream = kind == OBJECT_STREAM;
  struct object *o;
  enum err err = cuda_get_object(c, kind, h, &o, e);
  if (err)
    return err;
  int status = is_stream ? c->cu->stream_destroy(o->driver)
                         : c->cu->event_destroy(o->driver);
  cuda_drop_object(o);
  return cuda_device_fail(c, status,
                          is_stream ? "ending a stream" : "ending an event", e);
}

static enum err cuda_stream_create(struct gpu_device *d, gpu_handle *out,
                                   struct err_info *e) {
  return make(DEVICE(d), OBJECT_STREAM, out, e);
}

static enum err cuda_stream_destroy(struct gpu_device *d, gpu_handle stream,
                                    struct err_info *e) {
  return end(DEVICE(d), OBJECT_STREAM, stream, e);
}

static enum err cuda_event_create(struct gpu_device *d, gpu_handle *out,
                                  struct err_info *e) {
  return make(DEVICE(d), OBJECT_EVENT, out, e);
}

static enum err cuda_event_destroy(struct gpu_device *d, gpu_handle event,
                                   struct err_info *e) {
  return end(DEVICE(d), OBJECT_EVENT, event, e);
}

// An event and a stream that is about to have work with it.
static enum err get_both(struct cuda_device *c, gpu_handle event,
                         gpu_handle stream, void *out[2], struct err_info *e) {
  struct object *o;
  enum err err = cuda_get_object(c, OBJECT_EVENT, event, &o, e);
  if (!err)
    err = cuda_get_stream(c, stream, &out[1], e);
  if (err)
    return err;
  out[0] = o->driver;
  c->is_busy = true;
  return ERR_OK;
}

static enum err cuda_event_record(struct gpu_device *d, gpu_handle event,
                                  gpu_handle stream, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *both[2];
  enum err err = get_both(c, event, stream, both, e);
  return err ? err
             : cuda_device_fail(c, c->cu->event_record(both[0], both[1]),
                                "recording an event", e);
}

static enum err cuda_event_poll(struct gpu_device *d, gpu_handle event,
                                struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *o;
  enum err err = cuda_get_object(c, OBJECT_EVENT, event, &o, e);
  if (err)
    return err;
  int status = c->cu->event_query(o->driver);
  return status == CUDA_NOT_READY
             ? ERR_NOT_READY
             : cuda_device_fail(c, status, "asking an event", e);
}

static enum err cuda_event_elapsed(struct gpu_device *d, gpu_handle from,
                                   gpu_handle to, double *ms,
                                   struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *a, *b;
  enum err err = cuda_get_object(c, OBJECT_EVENT, from, &a, e);
  if (!err)
    err = cuda_get_object(c, OBJECT_EVENT, to, &b, e);
  if (err)
    return err;
  float elapsed = 0;
  int status = c->cu->event_elapsed(&elapsed, a->driver, b->driver);
  *ms = elapsed;
  if (status == CUDA_INVALID_HANDLE)
    return err_set(e, ERR_ARGUMENT, "an event was never recorded");
  return cuda_device_fail(c, status, "reading event times", e);
}

static enum err cuda_stream_wait(struct gpu_device *d, gpu_handle stream,
                                 gpu_handle event, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *both[2];
  enum err err = get_both(c, event, stream, both, e);
  return err ? err
             : cuda_device_fail(c, c->cu->stream_wait(both[1], both[0], 0),
                                "waiting for an event", e);
}

// ---- Completion ----

static int query_all(struct cuda_device *c) {
  int status = c->cu->stream_query(NULL);
  for (uint32_t i = 1; !status && i < c->object_count; i++)
    if (c->objects[i].kind == OBJECT_STREAM)
      status = c->cu->stream_query(c->objects[i].driver);
  return status;
}

static enum err cuda_poll(struct gpu_device *d, gpu_handle stream,
                          struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *s = NULL;
  if (c->failed)
    return cuda_fail(c->cu, c->failed, "the kernel failed", e);
  enum err err =
      stream == GPU_ALL_STREAMS ? ERR_OK : cuda_get_stream(c, stream, &s, e);
  if (err)
    return err;
  int status =
      stream == GPU_ALL_STREAMS ? query_all(c) : c->cu->stream_query(s);
  if (status == CUDA_NOT_READY)
    return ERR_NOT_READY;
  if (status)
    return cuda_device_fail(c, status, "the kernel failed", e);
  // A synchronise that need not wait is what flushes device printf.
  if (c->has_printf && c->is_busy)
    status = c->cu->ctx_synchronize();
  if (status)
    return cuda_device_fail(c, status, "the kernel failed", e);
  if (stream != GPU_ALL_STREAMS && query_all(c))
    return ERR_OK; // other streams still work: canaries and frees must wait
  c->is_busy = false;
  cuda_destroy_idle(c);
  if (!cuda_memory_idle(&c->memory, &c->finding))
    return ERR_OK;
  c->has_finding = true;
  return err_set(e, ERR_OUT_OF_BOUNDS,
                 "a kernel wrote past the end of an array of %llu bytes",
                 (unsigned long long)c->finding.base_bytes);
}

static int cuda_findings(struct gpu_device *d, struct gpu_finding *out,
                         int max) {
  struct cuda_device *c = DEVICE(d);
  if (!c->has_finding || max < 1)
    return 0;
  *out = c->finding;
  c->has_finding = false;
  return 1;
}

static enum err cuda_placement(struct gpu_device *d, struct gpu_placement *out,
                               struct gpu_block_place **places,
                               struct err_info *e) {
  (void)d;
  (void)out;
  *places = NULL;
  return err_set(e, ERR_UNSUPPORTED,
                 "a real GPU does not tell where its blocks ran: a kernel can "
                 "read %%smid, and cuda.select(\"virtual:0\") records it");
}

static enum err cuda_counts(struct gpu_device *d, struct gpu_counts *out,
                            struct gpu_line_counts **lines,
                            struct err_info *e) {
  (void)d, (void)out;
  *lines = NULL;
  return err_set(e, ERR_UNSUPPORTED,
                 "a real GPU does not count by lines: count the launch on the "
                 "virtual GPU");
}

static enum err cuda_cancel(struct gpu_device *d, struct err_info *e) {
  (void)d;
  return err_set(e, ERR_UNSUPPORTED,
                 "a running kernel cannot be stopped on a real GPU; its server "
                 "can be killed");
}

const struct gpu_backend gpu_cuda_backend = {
    .name = "cuda",
    .count = cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .info = cuda_info,
    .mem_alloc = cuda_mem_alloc,
    .mem_free = cuda_mem_free,
    .copy_in = cuda_copy_in,
    .copy_out = cuda_copy_out,
    .copy_on = cuda_copy_on,
    .mem_set = cuda_mem_set,
    .host_register = cuda_host_register,
    .host_map = cuda_host_map,
    .array_create = cuda_array_create,
    .array_destroy = cuda_array_destroy,
    .array_copy = cuda_array_copy,
    .texture_create = cuda_texture_create,
    .texture_destroy = cuda_texture_destroy,
    .surface_create = cuda_surface_create,
    .surface_destroy = cuda_surface_destroy,
    .module_load = cuda_module_load,
    .module_unload = cuda_module_unload,
    .function_get = cuda_function_get,
    .variable_get = cuda_variable_get,
    .function_set_max_shared = cuda_function_set_max_shared,
    .launch = cuda_launch,
    .cache_reset = cuda_cache_reset,
    .product_start = cuda_product_start,
    .product = cuda_product,
    .library_folder = cuda_library_folder,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_poll = cuda_event_poll,
    .event_elapsed = cuda_event_elapsed,
    .stream_wait = cuda_stream_wait,
    .graphs = &cuda_graphs,
    .sharing = &cuda_sharing,
    .comms = &cuda_comms,
    .poll = cuda_poll,
    .findings = cuda_findings,
    .counts = cuda_counts,
    .hardware = cuda_hardware,
    .placement = cuda_placement,
    .cancel = cuda_cancel,
};

// SPDX-License-Identifier: Apache-2.0
// CUDA arrays, textures and surfaces of a real GPU. What the driver would
// refuse without a reason is refused before, in the words of gpu_texture.c.
#include "gpu/cuda/cuda_array.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/cuda/cuda.h"
#include "gpu/cuda/cuda_destroy.h"

enum err cuda_array_create(struct gpu_device *d,
                           const struct gpu_array_desc *desc, gpu_handle *out,
                           struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct cuda_array_desc a = {.width = desc->width,
                              .height = desc->height,
                              .depth = desc->depth,
                              .format = (int)desc->format,
                              .channels = desc->channels,
                              .flags = desc->flags};
  void *array;
  enum err err = gpu_check_array(desc, e);
  if (err)
    return err;
  int status = c->cu->array_create(&array, &a);
  if (status == CUDA_OUT_OF_MEMORY)
    return err_set(e, ERR_NOMEM,
                   "the GPU has no room for an array of %llu bytes",
                   (unsigned long long)gpu_array_bytes(desc));
  if (status)
    return cuda_device_fail(c, status, "making a CUDA array", e);
  *out = cuda_add_object(c, OBJECT_ARRAY, array);
  struct object *o;
  cuda_get_object(c, OBJECT_ARRAY, *out, &o, NULL);
  o->array = *desc;
  return ERR_OK;
}

enum err cuda_array_destroy(struct gpu_device *d, gpu_handle array,
                            struct err_info *e) {
  struct object *o;
  enum err err = cuda_get_object(DEVICE(d), OBJECT_ARRAY, array, &o, e);
  return err ? err : cuda_destroy(DEVICE(d), o, e);
}

// The packed side of a copy.
static struct cuda_copy_end memory_end(const struct gpu_array_copy *c,
                                       const struct gpu_array_desc *a,
                                       size_t row_bytes) {
  return (struct cuda_copy_end){.type = c->host ? CUDA_MEMORY_HOST
                                                : CUDA_MEMORY_DEVICE,
                                .host = c->host,
                                .device = c->device,
                                .pitch_bytes = row_bytes,
                                .height = a->height ? a->height : 1};
}

enum err cuda_array_copy(struct gpu_device *d, const struct gpu_array_copy *c,
                         struct err_info *e) {
  struct cuda_device *dev = DEVICE(d);
  struct object *o;
  void *stream;
  enum err err = cuda_get_object(dev, OBJECT_ARRAY, c->array, &o, e);
  if (!err)
    err = cuda_get_stream(dev, c->stream, &stream, e);
  if (!err)
    err = gpu_check_array_copy(c, &o->array, e);
  if (err)
    return err;
  const struct gpu_array_desc *a = &o->array;
  struct cuda_copy_3d copy = {.width_bytes = (size_t)a->width * a->channels *
                                             gpu_format_bytes(a->format),
                              .height = a->height ? a->height : 1,
                              .depth = a->depth ? a->depth : 1};
  struct cuda_copy_end array = {.type = CUDA_MEMORY_ARRAY, .array = o->driver};
  struct cuda_copy_end memory = memory_end(c, a, copy.width_bytes);
  copy.from = c->to_array ? memory : array;
  copy.to = c->to_array ? array : memory;
  dev->is_busy = true;
  return cuda_device_fail(dev, dev->cu->copy_3d(&copy, stream),
                          "copying a CUDA array", e);
}

// ---- Textures and surfaces ----

static struct cuda_resource resource_of(const struct gpu_texture_desc *t,
                                        void *array) {
  struct cuda_resource r = {.type = (int)t->resource};
  switch (t->resource) {
  case GPU_RESOURCE_LINEAR:
    r.linear.address = t->address;
    r.linear.format = (int)t->format;
    r.linear.channels = t->channels;
    r.linear.bytes =
        (size_t)t->width * t->channels * gpu_format_bytes(t->format);
    break;
  case GPU_RESOURCE_PITCH2D:
    r.pitch.address = t->address;
    r.pitch.format = (int)t->format;
    r.pitch.channels = t->channels;
    r.pitch.width = t->width;
    r.pitch.height = t->height;
    r.pitch.pitch_bytes = t->pitch_bytes;
    break;
  default: r.array = array;
  }
  return r;
}

// Axes that the resource lacks are clamped: with a border, a real GPU weighs
// the one row of a 1D array against the border above it.
static struct cuda_texture sampling_of(const struct gpu_texture_desc *t,
                                       const struct gpu_array_desc *array) {
  uint32_t format = array ? array->format : t->format;
  uint32_t sizes[3] = {1, array ? array->height : t->height,
                       array ? array->depth : 0};
  bool keeps_integers = t->reads_elements && !gpu_format_is_float(format);
  struct cuda_texture s = {.filter = (int)t->filter};
  for (int i = 0; i < 3; i++)
    s.address_mode[i] =
        sizes[i] ? (int)t->address_mode[i] : (int)GPU_ADDRESS_CLAMP;
  s.flags = (keeps_integers ? CUDA_TEXTURE_AS_INTEGER : 0) |
            (t->is_normalized ? CUDA_TEXTURE_NORMALIZED : 0) |
            (t->is_srgb ? CUDA_TEXTURE_SRGB : 0);
  memcpy(s.border, t->border, sizeof s.border);
  return s;
}

// Objects are known by the number that kernels get.
static enum err destroy_number(struct cuda_device *c, enum object_kind kind,
                               uint64_t number, struct err_info *e) {
  for (uint32_t i = 1; i < c->object_count; i++)
    if (c->objects[i].kind == kind &&
        (uint64_t)(uintptr_t)c->objects[i].driver == number)
      return cuda_destroy(c, &c->objects[i], e);
  return cuda_stale(kind, e);
}

enum err cuda_texture_create(struct gpu_device *d,
                             const struct gpu_texture_desc *desc, uint64_t *out,
                             struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *a = NULL;
  enum err err = ERR_OK;
  if (desc->resource == GPU_RESOURCE_ARRAY)
    err = cuda_get_object(c, OBJECT_ARRAY, desc->array, &a, e);
  if (!err)
    err = gpu_check_texture(desc, a ? &a->array : NULL, e);
  if (err)
    return err;
  struct cuda_resource r = resource_of(desc, a ? a->driver : NULL);
  struct cuda_texture s = sampling_of(desc, a ? &a->array : NULL);
  err = cuda_device_fail(c, c->cu->texture_create(out, &r, &s, NULL),
                         "making a texture", e);
  if (!err)
    cuda_add_object(c, OBJECT_TEXTURE, (void *)(uintptr_t)*out);
  return err;
}

enum err cuda_texture_destroy(struct gpu_device *d, uint64_t texture,
                              struct err_info *e) {
  return destroy_number(DEVICE(d), OBJECT_TEXTURE, texture, e);
}

enum err cuda_surface_create(struct gpu_device *d, gpu_handle array,
                             uint64_t *out, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *a;
  enum err err = cuda_get_object(c, OBJECT_ARRAY, array, &a, e);
  if (!err)
    err = gpu_check_surface(&a->array, e);
  if (err)
    return err;
  struct cuda_resource r = {.type = GPU_RESOURCE_ARRAY, .array = a->driver};
  err = cuda_device_fail(c, c->cu->surface_create(out, &r), "making a surface",
                         e);
  if (!err)
    cuda_add_object(c, OBJECT_SURFACE, (void *)(uintptr_t)*out);
  return err;
}

enum err cuda_surface_destroy(struct gpu_device *d, uint64_t surface,
                              struct err_info *e) {
  return destroy_number(DEVICE(d), OBJECT_SURFACE, surface, e);
}

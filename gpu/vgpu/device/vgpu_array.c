// SPDX-License-Identifier: Apache-2.0
// The back end's CUDA arrays, textures and surfaces. An array is packed here:
// an allocation like any other, which kernels reach through objects alone.
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/device/device.h"
#include "gpu/vgpu/device/vgpu_array.h"

enum err vg_array_create(struct gpu_device *base,
                         const struct gpu_array_desc *desc, gpu_handle *out,
                         struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_array a = {.desc = *desc, .is_live = true};
  enum err err = gpu_check_array(desc, e);
  if (!err)
    err = vg_alloc_new(&d->memory, gpu_array_bytes(desc), VG_ALLOC_ARRAY, true,
                       &a.at, e);
  if (err)
    return err;
  d->arrays = xrealloc(d->arrays, sizeof *d->arrays * (d->array_count + 1));
  d->arrays[d->array_count++] = a;
  *out = d->array_count;
  return ERR_OK;
}

static enum err find_array(struct vg_device *d, gpu_handle h,
                           struct vg_array **out, struct err_info *e) {
  if (h < 1 || h > d->array_count || !d->arrays[h - 1].is_live)
    return err_set(e, ERR_ARGUMENT,
                   "CUDA array %" PRIu64 " does not exist (any more)", h);
  *out = &d->arrays[h - 1];
  return ERR_OK;
}

enum err vg_array_destroy(struct gpu_device *base, gpu_handle h,
                          struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_array *a = NULL;
  enum err err = find_array(d, h, &a, e);
  if (err)
    return err;
  a->is_live = false;
  struct work *k = vg_work_new(WORK_FREE);
  k->to = a->at;
  vg_submit(d, 0, k);
  return ERR_OK;
}

// Which of the two ends is the array's is all that differs from other copies.
static struct work *copy_work(const struct gpu_array_copy *c, gpu_ptr array) {
  struct work *k = vg_work_new(!c->host      ? WORK_COPY_ON
                               : c->to_array ? WORK_COPY_IN
                                             : WORK_COPY_OUT);
  k->to = c->to_array ? array : c->device;
  k->from = c->to_array ? c->device : array;
  k->host_from = c->host;
  k->host_to = c->host;
  k->bytes = c->bytes;
  return k;
}

enum err vg_array_copy(struct gpu_device *base, const struct gpu_array_copy *c,
                       struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_array *a = NULL;
  enum err err = vg_check_stream(d, c->stream, e);
  if (err || (err = find_array(d, c->array, &a, e)) ||
      (err = gpu_check_array_copy(c, &a->desc, e)))
    return err;
  if (!c->host)
    err = vg_check_range(d, c->device, c->bytes,
                         c->to_array ? "copy from" : "copy to", e);
  if (!err)
    vg_submit(d, c->stream, copy_work(c, a->at));
  return err;
}

// ---- Objects ----

enum err vg_texture_create(struct gpu_device *base,
                           const struct gpu_texture_desc *desc, uint64_t *out,
                           struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_array *a = NULL;
  enum err err = ERR_OK;
  if (desc->resource == GPU_RESOURCE_ARRAY)
    err = find_array(d, desc->array, &a, e);
  if (!err)
    err = gpu_check_texture(desc, a ? &a->desc : NULL, e);
  if (err)
    return err;
  struct vg_object o;
  vg_object_of_texture(desc, a ? &a->desc : NULL, a ? a->at : desc->address,
                       &o);
  if (!a)
    err = vg_check_range(
        d, o.base,
        o.pitch_bytes * (o.shape.height ? o.shape.height - 1 : 0) + o.row_bytes,
        "a texture of", e);
  return err ? err : vg_object_add(&d->objects, &o, out, e);
}

enum err vg_surface_create(struct gpu_device *base, gpu_handle array,
                           uint64_t *out, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_array *a = NULL;
  enum err err = find_array(d, array, &a, e);
  if (!err)
    err = gpu_check_surface(&a->desc, e);
  if (err)
    return err;
  struct vg_object o;
  vg_object_of_surface(&a->desc, a->at, &o);
  return vg_object_add(&d->objects, &o, out, e);
}

static enum err destroy(struct gpu_device *base, uint64_t number,
                        enum vg_object_kind kind, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_object *o = vg_object_find(&d->objects, number);
  if (!o || o->kind != kind || o->is_ending)
    return err_set(e, ERR_ARGUMENT,
                   "%s object 0x%" PRIx64 " does not exist (any more)",
                   kind == VG_TEXTURE ? "texture" : "surface", number);
  o->is_ending = true;
  struct work *k = vg_work_new(WORK_OBJECT_END);
  k->object = o;
  vg_submit(d, 0, k);
  return ERR_OK;
}

enum err vg_texture_destroy(struct gpu_device *base, uint64_t texture,
                            struct err_info *e) {
  return destroy(base, texture, VG_TEXTURE, e);
}

enum err vg_surface_destroy(struct gpu_device *base, uint64_t surface,
                            struct err_info *e) {
  return destroy(base, surface, VG_SURFACE, e);
}

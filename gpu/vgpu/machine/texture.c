// SPDX-License-Identifier: Apache-2.0
// The table of texture and surface objects, and what each looks at.
#include "gpu/vgpu/machine/machine.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/memory/memory.h"

enum { NUMBER_STEP = 16 };

void vg_objects_init(struct vg_objects *o) {
  o->chunks = xcalloc(VG_OBJECT_CHUNKS, sizeof *o->chunks);
  atomic_store(&o->count, 0);
}

void vg_objects_close(struct vg_objects *o) {
  for (int i = 0; i < VG_OBJECT_CHUNKS; i++)
    free(o->chunks[i]);
  free(o->chunks);
}

enum err vg_object_add(struct vg_objects *o, const struct vg_object *object,
                       uint64_t *number, struct err_info *e) {
  uint32_t n = atomic_load(&o->count);
  if (n == (uint32_t)VG_OBJECT_CHUNK * VG_OBJECT_CHUNKS)
    return err_set(e, ERR_NOMEM, "no more than %u textures and surfaces", n);
  struct vg_object **chunk = &o->chunks[n / VG_OBJECT_CHUNK];
  if (!*chunk)
    *chunk = xcalloc(VG_OBJECT_CHUNK, sizeof **chunk);
  struct vg_object *new = &(*chunk)[n % VG_OBJECT_CHUNK];
  *new = *object;
  atomic_store(&new->is_live, true);
  atomic_store_explicit(&o->count, n + 1, memory_order_release);
  *number = VG_WINDOW(VG_SLOT_OBJECT) + (uint64_t)(n + 1) * NUMBER_STEP;
  return ERR_OK;
}

struct vg_object *vg_object_find(const struct vg_objects *o, uint64_t number) {
  uint64_t n = number - VG_WINDOW(VG_SLOT_OBJECT);
  if (n % NUMBER_STEP || !n ||
      n / NUMBER_STEP > atomic_load_explicit(&o->count, memory_order_acquire))
    return NULL;
  n = n / NUMBER_STEP - 1;
  return &o->chunks[n / VG_OBJECT_CHUNK][n % VG_OBJECT_CHUNK];
}

// Rows lie one behind the other, planes too.
static void look_at_array(const struct gpu_array_desc *a, gpu_ptr base,
                          struct vg_object *out) {
  out->shape = *a;
  out->base = base;
  out->element_bytes = gpu_format_bytes(a->format) * a->channels;
  out->row_bytes = (uint64_t)a->width * out->element_bytes;
  out->pitch_bytes = out->row_bytes;
  out->slice_bytes = out->pitch_bytes * (a->height ? a->height : 1);
  out->is_cube = a->flags & GPU_ARRAY_CUBEMAP;
  if (a->flags & (GPU_ARRAY_LAYERED | GPU_ARRAY_CUBEMAP))
    out->layers = a->depth;
}

void vg_object_of_surface(const struct gpu_array_desc *array, gpu_ptr base,
                          struct vg_object *out) {
  *out = (struct vg_object){.kind = VG_SURFACE};
  look_at_array(array, base, out);
}

void vg_object_of_texture(const struct gpu_texture_desc *desc,
                          const struct gpu_array_desc *array, gpu_ptr base,
                          struct vg_object *out) {
  struct gpu_array_desc shape = {.width = desc->width,
                                 .height = desc->height,
                                 .format = desc->format,
                                 .channels = desc->channels};
  *out = (struct vg_object){.kind = VG_TEXTURE, .desc = *desc};
  if (desc->resource == GPU_RESOURCE_ARRAY)
    shape = *array;
  if (desc->resource == GPU_RESOURCE_LINEAR)
    shape.height = 0;
  look_at_array(&shape, base, out);
  if (desc->resource == GPU_RESOURCE_PITCH2D)
    out->pitch_bytes = desc->pitch_bytes;
  out->is_linear = desc->resource == GPU_RESOURCE_LINEAR;
  out->is_float = gpu_format_is_float(shape.format) ||
                  (gpu_format_bytes(shape.format) < 4 && !desc->reads_elements);
  // CUDA guide, "Texture Object API": these two need normalised coordinates,
  // and are "clamp" without.
  for (int i = 0; i < 3 && !desc->is_normalized; i++)
    if (desc->address_mode[i] == GPU_ADDRESS_WRAP ||
        desc->address_mode[i] == GPU_ADDRESS_MIRROR)
      out->desc.address_mode[i] = GPU_ADDRESS_CLAMP;
}

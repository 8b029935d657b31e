// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects of the virtual GPU, and the CUDA arrays that they
// look at. A kernel gets an object as a 64-bit number of a window of its own
// (VG_SLOT_OBJECT); numbers are never used again, so that a stale one is known.
#ifndef GPU_VGPU_MACHINE_TEXTURE_H
#define GPU_VGPU_MACHINE_TEXTURE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/gpu.h"
#include "gpu/vgpu/machine/mem.h"

enum vg_object_kind { VG_TEXTURE, VG_SURFACE };

struct vg_object {
  enum vg_object_kind kind;
  _Atomic bool is_live;
  bool is_ending;               // its destruction is queued
  struct gpu_texture_desc desc; // of a texture: as it takes effect
  struct gpu_array_desc shape;  // of the array, or of the linear memory
  gpu_ptr base;
  uint64_t row_bytes;   // that hold elements
  uint64_t pitch_bytes; // from row to row
  uint64_t slice_bytes; // from plane or layer to the next
  uint32_t element_bytes;
  bool is_linear; // memory that only whole coordinates reach
  bool is_float;  // a fetch gives floats, not whole numbers
  bool is_cube;
  uint32_t layers; // 0: not layered; faces count as layers
};

enum { VG_OBJECT_CHUNK = 1024, VG_OBJECT_CHUNKS = 4096 };

struct vg_objects {
  struct vg_object **chunks;
  _Atomic uint32_t count;
};

void vg_objects_init(struct vg_objects *o);
void vg_objects_close(struct vg_objects *o);

// Adds a live object and gives its number. ERR_NOMEM when there were too many.
enum err vg_object_add(struct vg_objects *o, const struct vg_object *object,
                       uint64_t *number, struct err_info *e);

// The object of a number, dead ones included; NULL when it never was one.
struct vg_object *vg_object_find(const struct vg_objects *o, uint64_t number);

// What a texture or a surface looks at, from its descriptors; both must have
// been checked (gpu_check_texture). `base` is the first element's address.
void vg_object_of_texture(const struct gpu_texture_desc *desc,
                          const struct gpu_array_desc *array, gpu_ptr base,
                          struct vg_object *out);
void vg_object_of_surface(const struct gpu_array_desc *array, gpu_ptr base,
                          struct vg_object *out);

#endif

// SPDX-License-Identifier: Apache-2.0
// Reading textures: from a lane's coordinates to the four values that it gets.
// Knows no warp; what goes wrong is told to the caller.
#ifndef GPU_VGPU_OPS_TEXEL_H
#define GPU_VGPU_OPS_TEXEL_H

#include "gpu/vgpu/machine/machine.h"

// What one fetch asks for.
struct vg_fetch {
  const struct vg_object *texture;
  const struct gpu_texture_desc *sampler; // mostly the texture's own
  const uint8_t *data;                    // the first element, on the host
  const struct vg_alloc *watched; // whose bytes may be undefined, or NULL
  uint64_t from;                  // offset of the first element in its memory
  uint8_t geometry;               // enum ptx_geometry
  bool is_whole;                  // coordinates are whole elements
  union {
    float f[4];
    int32_t i[4];
  } at;
  int32_t offset[3]; // in elements
  // What was found on the way:
  bool is_outside;       // whole coordinates beyond the texture
  bool is_layer_outside; // no such layer: the nearest was read
  bool is_undefined;     // an element that nothing has written was read
  int element_count;
  uint64_t elements[8]; // offsets of those that were read
};

// The four values, as bits of floats or integers (vg_object.is_float).
void vg_fetch_texel(struct vg_fetch *f, uint32_t out[4]);

// Component `channel` of the four elements that a linear filter would read, in
// the order of tld4.
void vg_fetch_gather(struct vg_fetch *f, int channel, uint32_t out[4]);

// The other way, for formatted stores: floats or integers to the element.
void vg_texel_pack(const struct vg_object *o, const uint32_t in[4], uint8_t *p);

#endif

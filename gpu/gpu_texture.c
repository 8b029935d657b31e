// SPDX-License-Identifier: Apache-2.0
// Arrays and textures: what every device refuses, and in which words.
#include <inttypes.h>

#include "gpu/gpu.h"

uint32_t gpu_format_bytes(uint32_t format) {
  switch (format) {
  case GPU_FORMAT_U8:
  case GPU_FORMAT_S8: return 1;
  case GPU_FORMAT_U16:
  case GPU_FORMAT_S16:
  case GPU_FORMAT_F16: return 2;
  case GPU_FORMAT_U32:
  case GPU_FORMAT_S32:
  case GPU_FORMAT_F32: return 4;
  default: return 0;
  }
}

bool gpu_format_is_float(uint32_t format) {
  return format == GPU_FORMAT_F16 || format == GPU_FORMAT_F32;
}

static uint64_t at_least_one(uint32_t n) {
  return n ? n : 1;
}

uint64_t gpu_array_bytes(const struct gpu_array_desc *a) {
  return (uint64_t)gpu_format_bytes(a->format) * a->channels * a->width *
         at_least_one(a->height) * at_least_one(a->depth);
}

static enum err check_element(uint32_t format, uint32_t channels,
                              struct err_info *e) {
  if (!gpu_format_bytes(format))
    return err_set(e, ERR_ARGUMENT,
                   "textures and arrays hold integers of 8, 16 and 32 bits, "
                   "f16 and f32");
  if (channels != 1 && channels != 2 && channels != 4)
    return err_set(e, ERR_ARGUMENT,
                   "an element has 1, 2 or 4 channels, not %" PRIu32, channels);
  return ERR_OK;
}

// Most elements of an axis on any device (CUDA guide, "Technical Specifications
// per Compute Capability").
enum {
  MOST_1D = 131072,
  MOST_2D_WIDTH = 131072,
  MOST_2D_HEIGHT = 65536,
  MOST_3D = 16384,
  MOST_LAYERED = 32768,
  MOST_LAYERS = 2048,
  MOST_LINEAR = 1 << 28, // elements of tex1Dfetch
};

static enum err check_axis(const char *axis, uint32_t n, uint32_t most,
                           struct err_info *e) {
  if (n <= most)
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "the array's %s is %" PRIu32 "; at most %" PRIu32
                 " are possible",
                 axis, n, most);
}

static enum err check_cube(const struct gpu_array_desc *a, struct err_info *e) {
  bool is_layered = a->flags & GPU_ARRAY_LAYERED;
  if (a->width != a->height)
    return err_set(e, ERR_ARGUMENT,
                   "the faces of a cube map are squares, not %" PRIu32
                   " x %" PRIu32,
                   a->width, a->height);
  if (is_layered ? a->depth % 6 || !a->depth : a->depth != 6)
    return err_set(e, ERR_ARGUMENT, "a cube map has 6 faces%s, not %" PRIu32,
                   is_layered ? " in every layer" : "", a->depth);
  return ERR_OK;
}

enum err gpu_check_array(const struct gpu_array_desc *a, struct err_info *e) {
  bool is_layered = a->flags & (GPU_ARRAY_LAYERED | GPU_ARRAY_CUBEMAP);
  bool is_volume = a->depth && !is_layered;
  enum err err = check_element(a->format, a->channels, e);
  if (err)
    return err;
  if (!a->width)
    return err_set(e, ERR_ARGUMENT, "the array has no elements");
  if (is_layered && !a->depth)
    return err_set(e, ERR_ARGUMENT, "a layered array has at least one layer");
  if (is_volume && !a->height)
    return err_set(e, ERR_ARGUMENT, "an array with a depth has a height, too");
  if (is_volume)
    err = check_axis("width", a->width, MOST_3D, e)
              ?: check_axis("height", a->height, MOST_3D, e)
              ?: check_axis("depth", a->depth, MOST_3D, e);
  else if (is_layered)
    err = check_axis("width", a->width, MOST_LAYERED, e)
              ?: check_axis("height", a->height, MOST_LAYERED, e)
              ?: check_axis("number of layers", a->depth, MOST_LAYERS, e);
  else
    err = check_axis("width", a->width, a->height ? MOST_2D_WIDTH : MOST_1D, e)
              ?: check_axis("height", a->height, MOST_2D_HEIGHT, e);
  if (err)
    return err;
  if ((a->flags & GPU_ARRAY_GATHER) && (!a->height || is_volume))
    return err_set(e, ERR_ARGUMENT, "gather needs an array of two dimensions");
  return a->flags & GPU_ARRAY_CUBEMAP ? check_cube(a, e) : ERR_OK;
}

// ---- Textures ----

// Memory alignments of all devices so far.
enum { TEXTURE_ALIGN = 512, PITCH_ALIGN = 32 };

static enum err check_memory(const struct gpu_texture_desc *t,
                             struct err_info *e) {
  enum err err = check_element(t->format, t->channels, e);
  uint64_t element = (uint64_t)gpu_format_bytes(t->format) * t->channels;
  if (err)
    return err;
  if (t->address % TEXTURE_ALIGN)
    return err_set(e, ERR_ARGUMENT,
                   "a texture's memory starts at a multiple of %d bytes, and "
                   "this does not: cuda.set_guarded(false) before the array is "
                   "made, or a cuda.array",
                   TEXTURE_ALIGN);
  if (!t->width || (t->resource == GPU_RESOURCE_PITCH2D && !t->height))
    return err_set(e, ERR_ARGUMENT, "the texture has no elements");
  if (t->resource == GPU_RESOURCE_LINEAR) {
    if (t->width > MOST_LINEAR)
      return err_set(e, ERR_ARGUMENT,
                     "a texture of linear memory has at most %d elements, not "
                     "%" PRIu32,
                     MOST_LINEAR, t->width);
    return ERR_OK;
  }
  if (t->pitch_bytes % PITCH_ALIGN || t->pitch_bytes < t->width * element)
    return err_set(e, ERR_ARGUMENT,
                   "rows of %" PRIu64 " bytes: those of a texture are a "
                   "multiple of %d bytes; make the array wider, or use a "
                   "cuda.array",
                   t->pitch_bytes, PITCH_ALIGN);
  return ERR_OK;
}

static enum err check_sampling(const struct gpu_texture_desc *t,
                               uint32_t format, uint32_t channels,
                               struct err_info *e) {
  bool is_small = gpu_format_bytes(format) < 4;
  bool gives_floats =
      gpu_format_is_float(format) || (is_small && !t->reads_elements);
  for (int i = 0; i < 3; i++)
    if (t->address_mode[i] > GPU_ADDRESS_BORDER)
      return err_set(e, ERR_ARGUMENT, "an address mode that does not exist");
  if (t->filter > GPU_FILTER_LINEAR)
    return err_set(e, ERR_ARGUMENT, "a filter mode that does not exist");
  if (t->filter == GPU_FILTER_LINEAR && !gives_floats)
    return err_set(e, ERR_ARGUMENT,
                   "linear filtering needs elements that are read as floats: "
                   "f32, f16, or 8- and 16-bit integers with the read mode "
                   "\"normalized_float\"");
  if (t->is_srgb && (format != GPU_FORMAT_U8 || t->reads_elements))
    return err_set(e, ERR_ARGUMENT,
                   "srgb is for 8-bit unsigned elements with the read mode "
                   "\"normalized_float\"");
  if (t->is_srgb && channels != 4)
    return err_set(e, ERR_ARGUMENT, "srgb is for elements of 4 channels");
  return ERR_OK;
}

enum err gpu_check_texture(const struct gpu_texture_desc *t,
                           const struct gpu_array_desc *array,
                           struct err_info *e) {
  if (t->resource == GPU_RESOURCE_ARRAY) {
    if (!array)
      return err_set(e, ERR_ARGUMENT, "the texture has no array");
    if ((array->flags & GPU_ARRAY_CUBEMAP) && !t->is_normalized)
      return err_set(e, ERR_ARGUMENT,
                     "a cube map's coordinates are directions: it needs "
                     "normalized = true");
    return check_sampling(t, array->format, array->channels, e);
  }
  if (t->resource != GPU_RESOURCE_LINEAR && t->resource != GPU_RESOURCE_PITCH2D)
    return err_set(e, ERR_ARGUMENT, "a resource that does not exist");
  if (t->resource == GPU_RESOURCE_LINEAR &&
      (t->filter == GPU_FILTER_LINEAR || t->is_normalized))
    return err_set(e, ERR_ARGUMENT,
                   "linear memory is read by whole coordinates (tex1Dfetch): "
                   "filtering and normalised coordinates need a cuda.array");
  enum err err = check_memory(t, e);
  return err ? err : check_sampling(t, t->format, t->channels, e);
}

enum err gpu_check_array_copy(const struct gpu_array_copy *c,
                              const struct gpu_array_desc *array,
                              struct err_info *e) {
  uint64_t bytes = gpu_array_bytes(array);
  if (c->bytes == bytes)
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "the array has %" PRIu64 " bytes, and the copy %zu: an array "
                 "is copied whole",
                 bytes, c->bytes);
}

enum err gpu_check_surface(const struct gpu_array_desc *array,
                           struct err_info *e) {
  if (array->flags & GPU_ARRAY_SURFACE)
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "a surface needs an array that was made for it: "
                 "cuda.array(shape, dtype, {surface = true})");
}

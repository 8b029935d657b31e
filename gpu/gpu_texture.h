// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces as data, and what all devices agree on.
#ifndef GPU_GPU_TEXTURE_H
#define GPU_GPU_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/gpu_handle.h"

// How an element's channels are held (CUarray_format).
enum gpu_format {
  GPU_FORMAT_U8 = 0x01,
  GPU_FORMAT_U16 = 0x02,
  GPU_FORMAT_U32 = 0x03,
  GPU_FORMAT_S8 = 0x08,
  GPU_FORMAT_S16 = 0x09,
  GPU_FORMAT_S32 = 0x0a,
  GPU_FORMAT_F16 = 0x10,
  GPU_FORMAT_F32 = 0x20,
};

enum gpu_array_flags { // CUDA_ARRAY3D_...
  GPU_ARRAY_LAYERED = 1,
  GPU_ARRAY_SURFACE = 2, // kernels may write to it
  GPU_ARRAY_CUBEMAP = 4,
  GPU_ARRAY_GATHER = 8, // tex2Dgather
};

// A CUDA array: elements in an order of the device's own, for textures and
// surfaces. Axes that are not there have 0; `depth` counts the layers of a
// layered one, and the faces (6 of each) of a cube map.
struct gpu_array_desc {
  uint32_t width, height, depth;
  uint32_t format; // enum gpu_format
  uint32_t channels;
  uint32_t flags; // enum gpu_array_flags
};

// Copies a whole array from or to packed memory (x runs fastest, then y, then
// z), of the host or of the device.
struct gpu_array_copy {
  gpu_handle array;
  bool to_array;
  void *host;     // or NULL:
  gpu_ptr device; // memory of the device
  size_t bytes;   // the array's size
  gpu_handle stream;
};

enum gpu_resource { // CUresourcetype
  GPU_RESOURCE_ARRAY = 0,
  GPU_RESOURCE_LINEAR = 2,
  GPU_RESOURCE_PITCH2D = 3
};
enum gpu_address_mode { // CUaddress_mode
  GPU_ADDRESS_WRAP,
  GPU_ADDRESS_CLAMP,
  GPU_ADDRESS_MIRROR,
  GPU_ADDRESS_BORDER
};
enum gpu_filter { GPU_FILTER_POINT, GPU_FILTER_LINEAR };

struct gpu_texture_desc {
  uint32_t resource; // enum gpu_resource
  gpu_handle array;
  gpu_ptr address;        // of linear and pitch memory
  uint32_t width, height; // in elements, likewise
  uint64_t pitch_bytes;
  uint32_t format, channels; // likewise
  uint32_t address_mode[3];  // enum gpu_address_mode, of x, y and z
  uint32_t filter;           // enum gpu_filter
  bool is_normalized;        // coordinates run from 0 to 1
  bool reads_elements;       // false: 8- and 16-bit integers become floats
  bool is_srgb;              // 8-bit elements are converted to linear
  float border[4];
};

// ---- What all devices agree on ----

uint32_t gpu_format_bytes(uint32_t format); // of one channel; 0: no format
bool gpu_format_is_float(uint32_t format);
// Packed bytes of an array that gpu_check_array accepts.
uint64_t gpu_array_bytes(const struct gpu_array_desc *a);
enum err gpu_check_array(const struct gpu_array_desc *a, struct err_info *e);
// `array`: of the resource, or NULL. Both devices refuse the same.
enum err gpu_check_texture(const struct gpu_texture_desc *t,
                           const struct gpu_array_desc *array,
                           struct err_info *e);
enum err gpu_check_surface(const struct gpu_array_desc *array,
                           struct err_info *e);
enum err gpu_check_array_copy(const struct gpu_array_copy *c,
                              const struct gpu_array_desc *array,
                              struct err_info *e);

#endif

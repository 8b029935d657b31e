// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, found at run time: nothing of NVIDIA's is needed to build.
#ifndef GPU_CUDA_CUDA_DRIVER_H
#define GPU_CUDA_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/gpu.h"

// The layouts of CUmemLocation, CUmemAllocationProp and CUmemAccessDesc, and
// the enumerators in use (CUDA driver API, "Virtual Memory Management").
struct cuda_location {
  int type; // 1: device
  int id;
};
struct cuda_alloc_prop {
  int type; // 1: pinned
  int handle_types;
  struct cuda_location location;
  void *win32_meta;
  unsigned char compression, rdma_capable;
  unsigned short usage;
  unsigned char reserved[4];
};
struct cuda_access {
  struct cuda_location location;
  int flags; // 3: read and write
};
enum {
  CUDA_LOCATION_DEVICE = 1,
  CUDA_ALLOCATION_PINNED = 1,
  CUDA_ACCESS_READ_WRITE = 3,
  CUDA_GRANULARITY_MINIMUM = 0,
  CUDA_HANDLE_FILE = 1, // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
};

// CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC and
// CUDA_TEXTURE_DESC (CUDA driver API, "Memory Management" and "Texture Object
// Management").
struct cuda_array_desc {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct cuda_copy_end {
  size_t x_bytes, y, z, level;
  int type; // enum cuda_memory_type
  void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch_bytes, height;
};
struct cuda_copy_3d {
  struct cuda_copy_end from, to;
  size_t width_bytes, height, depth;
};
struct cuda_resource {
  int type; // enum gpu_resource
  union {
    void *array;
    struct {
      uint64_t address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      uint64_t address;
      int format;
      unsigned channels;
      size_t width, height, pitch_bytes;
    } pitch;
    int reserved[32];
  };
  unsigned flags;
};
struct cuda_texture {
  int address_mode[3];
  int filter;
  unsigned flags; // CUDA_TEXTURE_...
  unsigned max_anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  float border[4];
  int reserved[12];
};
// CUDA_KERNEL_NODE_PARAMS_v2 (CUDA driver API, "Graph Management").
struct cuda_kernel_node {
  void *function;
  unsigned grid[3], block[3], shared_bytes;
  void **params, **extra;
  void *kernel, *context;
};
enum { CUDA_CAPTURE_RELAXED = 2 };
enum cuda_memory_type {
  CUDA_MEMORY_HOST = 1,
  CUDA_MEMORY_DEVICE = 2,
  CUDA_MEMORY_ARRAY = 3
};
enum {
  CUDA_TEXTURE_AS_INTEGER = 1,
  CUDA_TEXTURE_NORMALIZED = 2,
  CUDA_TEXTURE_SRGB = 16
};

// CUfunction_attribute and the launch parameter-buffer markers.
enum {
  CUDA_FUNC_MAX_THREADS = 0,
  CUDA_FUNC_SHARED_BYTES = 1,
  CUDA_FUNC_CONST_BYTES = 2,
  CUDA_FUNC_LOCAL_BYTES = 3,
  CUDA_FUNC_REGISTERS = 4,
  CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
};
#define CUDA_LAUNCH_BUFFER      ((void *)1)
#define CUDA_LAUNCH_BUFFER_SIZE ((void *)2)
#define CUDA_LAUNCH_END         ((void *)0)

enum cuda_status {
  CUDA_OK = 0,
#define STATUS(number, name, code, sticky) CUDA_##name = number,
#include "gpu/cuda/cuda_errors.def"
#undef STATUS
};

struct cuda_driver {
#define API(name, symbol, arguments, needed) int(*name) arguments;
#include "gpu/cuda/cuda_api.def"
#undef API
};

// The driver's functions, the driver loaded and initialised (cuInit): to be freed,
// while the driver itself stays loaded. ERR_NOT_FOUND when there is no driver or
// no GPU; the reason is in `e`.
enum err cuda_driver_open(struct cuda_driver **out, struct err_info *e);

// Turns a driver status into our code; `doing` is what was tried ("cuMemAlloc
// of 3 GiB"). 0 is ERR_OK.
enum err cuda_fail(const struct cuda_driver *cu, int status, const char *doing,
                   struct err_info *e);
bool cuda_is_sticky(int status);

#endif

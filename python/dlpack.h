// SPDX-License-Identifier: Apache-2.0
// What libraries hand each other in a capsule of Python's: DLPack 1.0's structures
// (https://dmlc.github.io/dlpack/latest/c_api.html), declared here, and the older
// one without a version.
#ifndef PYTHON_DLPACK_H
#define PYTHON_DLPACK_H

#include <stdint.h>

enum { DL_MAJOR = 1, DL_MINOR = 0 };

enum dl_device_type {
  DL_CPU = 1,
  DL_CUDA = 2,
  DL_CUDA_HOST = 3, // pinned memory of the host
};

enum dl_code {
  DL_INT = 0,
  DL_UINT = 1,
  DL_FLOAT = 2,
  DL_BFLOAT = 4,
  DL_BOOL = 6,
};

enum {
  DL_IS_READ_ONLY = 1,
  DL_IS_COPIED = 2,
};

struct dl_tensor {
  void *data;
  struct {
    int32_t type; // enum dl_device_type
    int32_t id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code; // enum dl_code
    uint8_t bits;
    uint16_t lanes; // 1
  } dtype;
  int64_t *shape;
  int64_t *strides;     // in elements; NULL: C-contiguous
  uint64_t byte_offset; // of the first element, from `data`
};

// The capsule "dltensor"; whoever takes it over calls it "used_dltensor".
struct dl_managed {
  struct dl_tensor tensor;
  void *context;
  void (*deleter)(struct dl_managed *self); // on any thread; may be NULL
};

// The same since version 1: "dltensor_versioned", "used_dltensor_versioned".
struct dl_versioned {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct dl_versioned *self);
  uint64_t flags;
  struct dl_tensor tensor;
};

#define DL_NAME           "dltensor"
#define DL_USED           "used_dltensor"
#define DL_VERSIONED_NAME "dltensor_versioned"
#define DL_VERSIONED_USED "used_dltensor_versioned"

#endif

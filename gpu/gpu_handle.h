// SPDX-License-Identifier: Apache-2.0
// How a device's memory and objects are named.
#ifndef GPU_GPU_HANDLE_H
#define GPU_GPU_HANDLE_H

#include <stdint.h>

typedef uint64_t gpu_ptr;    // a device address; 0 is null
typedef uint64_t gpu_handle; // a module, function, stream or event; 0 is none

#endif

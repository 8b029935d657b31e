// SPDX-License-Identifier: Apache-2.0
// Modules of gpu_cuda_backend; gpu/gpu.h says what each does.
#ifndef GPU_CUDA_CUDA_MODULE_H
#define GPU_CUDA_CUDA_MODULE_H

#include "gpu/cuda/cuda.h"

enum err cuda_module_load(struct gpu_device *d, const void *image, size_t bytes,
                          gpu_handle *out, struct err_info *e);
enum err cuda_module_unload(struct gpu_device *d, gpu_handle module,
                            struct err_info *e);
enum err cuda_function_get(struct gpu_device *d, gpu_handle module,
                           const char *mangled, gpu_handle *out,
                           struct gpu_function_info *info, struct err_info *e);
enum err cuda_variable_get(struct gpu_device *d, gpu_handle module,
                           const char *mangled, gpu_ptr *out, size_t *bytes,
                           struct err_info *e);
enum err cuda_function_set_max_shared(struct gpu_device *d, gpu_handle function,
                                      uint32_t bytes, struct err_info *e);

#endif

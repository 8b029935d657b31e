// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of gpu_cuda_backend; gpu/gpu.h says what each
// does.
#ifndef GPU_CUDA_CUDA_ARRAY_H
#define GPU_CUDA_CUDA_ARRAY_H

#include "gpu/cuda/cuda.h"

enum err cuda_array_create(struct gpu_device *d,
                           const struct gpu_array_desc *desc, gpu_handle *out,
                           struct err_info *e);
enum err cuda_array_destroy(struct gpu_device *d, gpu_handle array,
                            struct err_info *e);
enum err cuda_array_copy(struct gpu_device *d, const struct gpu_array_copy *c,
                         struct err_info *e);
enum err cuda_texture_create(struct gpu_device *d,
                             const struct gpu_texture_desc *desc, uint64_t *out,
                             struct err_info *e);
enum err cuda_texture_destroy(struct gpu_device *d, uint64_t texture,
                              struct err_info *e);
enum err cuda_surface_create(struct gpu_device *d, gpu_handle array,
                             uint64_t *out, struct err_info *e);
enum err cuda_surface_destroy(struct gpu_device *d, uint64_t surface,
                              struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// The functions of struct gpu_backend that vgpu_array.c implements.
#ifndef GPU_VGPU_DEVICE_VGPU_ARRAY_H
#define GPU_VGPU_DEVICE_VGPU_ARRAY_H

#include "gpu/gpu.h"

enum err vg_array_create(struct gpu_device *base,
                         const struct gpu_array_desc *desc, gpu_handle *out,
                         struct err_info *e);
enum err vg_array_destroy(struct gpu_device *base, gpu_handle h,
                          struct err_info *e);
enum err vg_array_copy(struct gpu_device *base, const struct gpu_array_copy *c,
                       struct err_info *e);
enum err vg_texture_create(struct gpu_device *base,
                           const struct gpu_texture_desc *desc, uint64_t *out,
                           struct err_info *e);
enum err vg_texture_destroy(struct gpu_device *base, uint64_t texture,
                            struct err_info *e);
enum err vg_surface_create(struct gpu_device *base, gpu_handle array,
                           uint64_t *out, struct err_info *e);
enum err vg_surface_destroy(struct gpu_device *base, uint64_t surface,
                            struct err_info *e);

#endif

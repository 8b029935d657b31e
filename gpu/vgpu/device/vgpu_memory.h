// SPDX-License-Identifier: Apache-2.0
// Memory of gpu_virtual_backend; gpu/gpu.h says what each does.
#ifndef GPU_VGPU_DEVICE_VGPU_MEMORY_H
#define GPU_VGPU_DEVICE_VGPU_MEMORY_H

#include "gpu/vgpu/device/device.h"

enum err vg_back_host_map(struct gpu_device *base, void *p, size_t bytes,
                          gpu_ptr *out, struct err_info *e);
enum err vg_back_mem_alloc(struct gpu_device *base, size_t bytes,
                           unsigned flags, gpu_ptr *out, struct err_info *e);
enum err vg_back_mem_free(struct gpu_device *base, gpu_ptr p,
                          struct err_info *e);
enum err vg_back_copy_in(struct gpu_device *base, gpu_ptr to, const void *from,
                         size_t bytes, gpu_handle stream, struct err_info *e);
enum err vg_back_copy_out(struct gpu_device *base, void *to, gpu_ptr from,
                          size_t bytes, gpu_handle stream, struct err_info *e);
enum err vg_back_copy_on(struct gpu_device *base, gpu_ptr to, gpu_ptr from,
                         size_t bytes, gpu_handle stream, struct err_info *e);
enum err vg_back_mem_set(struct gpu_device *base, const struct gpu_fill *f,
                         struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// Modules of gpu_virtual_backend; gpu/gpu.h says what each does.
#ifndef GPU_VGPU_DEVICE_VGPU_MODULE_H
#define GPU_VGPU_DEVICE_VGPU_MODULE_H

#include "gpu/vgpu/device/device.h"

enum err vg_back_module_load(struct gpu_device *base, const void *image,
                             size_t bytes, gpu_handle *out, struct err_info *e);
enum err vg_back_module_unload(struct gpu_device *base, gpu_handle h,
                               struct err_info *e);
enum err vg_back_function_get(struct gpu_device *base, gpu_handle module,
                              const char *name, gpu_handle *out,
                              struct gpu_function_info *info,
                              struct err_info *e);
enum err vg_back_variable_get(struct gpu_device *base, gpu_handle module,
                              const char *name, gpu_ptr *out, size_t *bytes,
                              struct err_info *e);
enum err vg_back_function_set_max_shared(struct gpu_device *base, gpu_handle h,
                                         uint32_t bytes, struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// The functions of gpu_virtual_backend that lie beside vgpu.c; gpu/gpu.h says
// what each does.
#ifndef GPU_VGPU_DEVICE_VGPU_PARTS_H
#define GPU_VGPU_DEVICE_VGPU_PARTS_H

#include "gpu/vgpu/device/device.h"
#include "gpu/vgpu/machine/mem.h"

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
enum err vg_back_mem_set(struct gpu_device *base, gpu_ptr to, uint32_t value,
                         unsigned width, size_t count, gpu_handle stream,
                         struct err_info *e);

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

enum err vg_back_stream_create(struct gpu_device *base, gpu_handle *out,
                               struct err_info *e);
enum err vg_back_stream_destroy(struct gpu_device *base, gpu_handle s,
                                struct err_info *e);
enum err vg_back_event_create(struct gpu_device *base, gpu_handle *out,
                              struct err_info *e);
enum err vg_back_event_destroy(struct gpu_device *base, gpu_handle h,
                               struct err_info *e);
enum err vg_back_event_record(struct gpu_device *base, gpu_handle h,
                              gpu_handle stream, struct err_info *e);
enum err vg_back_event_poll(struct gpu_device *base, gpu_handle h,
                            struct err_info *e);
enum err vg_back_event_elapsed(struct gpu_device *base, gpu_handle from,
                               gpu_handle to, double *ms, struct err_info *e);
enum err vg_back_stream_wait(struct gpu_device *base, gpu_handle stream,
                             gpu_handle h, struct err_info *e);

#endif

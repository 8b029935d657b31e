// SPDX-License-Identifier: Apache-2.0
// Streams and events of gpu_virtual_backend; gpu/gpu.h says what each does.
#ifndef GPU_VGPU_DEVICE_VGPU_STREAM_H
#define GPU_VGPU_DEVICE_VGPU_STREAM_H

#include "gpu/vgpu/device/device.h"

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

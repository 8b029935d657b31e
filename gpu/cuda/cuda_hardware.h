// SPDX-License-Identifier: Apache-2.0
// Launches that the GPU counts itself (gpu/cupti).
#ifndef GPU_CUDA_CUDA_HARDWARE_H
#define GPU_CUDA_CUDA_HARDWARE_H

#include "gpu/cuda/cuda.h"

// Of a device that was opened for it (gpu_options.counts_hardware).
enum err cuda_hardware_open(struct cuda_device *c, int device,
                            struct err_info *e);
void cuda_hardware_close(struct cuda_device *c);

// Before and after a launch with GPU_LAUNCH_COUNT; the second waits for its end.
enum err cuda_hardware_begin(struct cuda_device *c, struct err_info *e);
enum err cuda_hardware_end(struct cuda_device *c, int status,
                           struct err_info *e);

// Takes the oldest launch's (struct gpu_backend).
enum err cuda_hardware(struct gpu_device *d, struct gpu_hardware *out,
                       struct err_info *e);

#endif

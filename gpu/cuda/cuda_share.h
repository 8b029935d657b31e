// SPDX-License-Identifier: Apache-2.0
// Device memory and events that other processes share.
#ifndef GPU_CUDA_CUDA_SHARE_H
#define GPU_CUDA_CUDA_SHARE_H

#include "gpu/cuda/cuda.h"

extern const struct gpu_sharing cuda_sharing;

// Makes the events that others may have. Before confinement.
void cuda_share_open(struct cuda_device *c);

#endif

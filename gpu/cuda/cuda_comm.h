// SPDX-License-Identifier: Apache-2.0
// This GPU as a rank of a group, through NCCL (gpu/nccl).
#ifndef GPU_CUDA_CUDA_COMM_H
#define GPU_CUDA_CUDA_COMM_H

#include "gpu/gpu.h"

extern const struct gpu_comms cuda_comms;

#endif

// SPDX-License-Identifier: Apache-2.0
// The driver API is for host code; pasted programs include it all the same.
#ifndef WARPSHOP_CUDA_H
#define WARPSHOP_CUDA_H

#include <cuda_runtime.h>

#endif

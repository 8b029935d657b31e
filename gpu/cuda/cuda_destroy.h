// SPDX-License-Identifier: Apache-2.0
// Driver objects that end once no work can use them.
#ifndef GPU_CUDA_CUDA_DESTROY_H
#define GPU_CUDA_CUDA_DESTROY_H

#include "gpu/cuda/cuda.h"

// Destroys an array, a texture, a surface, a graph or a module once no work can use
// it; its handle is stale at once.
enum err cuda_destroy(struct cuda_device *c, struct object *o,
                      struct err_info *e);
// Destroys those that wait for an idle device.
void cuda_destroy_idle(struct cuda_device *c);

#endif

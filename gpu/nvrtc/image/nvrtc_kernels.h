// SPDX-License-Identifier: Apache-2.0
// What is known of each kernel of a program, put together.
#ifndef GPU_NVRTC_IMAGE_NVRTC_KERNELS_H
#define GPU_NVRTC_IMAGE_NVRTC_KERNELS_H

#include "gpu/nvrtc/nvrtc.h"

// Fills the program's kernels from the source, the PTX and, where there is one,
// the cubin of one compile. `lowered[i]` is the mangled name of
// request->instantiate[i].
void nvrtc_fill_kernels(struct nvrtc_program *p,
                        const struct nvrtc_request *request,
                        const char *const *lowered, const char *ptx,
                        const void *cubin, size_t cubin_bytes);

#endif

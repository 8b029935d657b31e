// SPDX-License-Identifier: Apache-2.0
// Matrix products through cuBLAS, found at run time beside NVRTC.
#ifndef GPU_CUDA_CUDA_BLAS_H
#define GPU_CUDA_CUDA_BLAS_H

#include "gpu/gpu.h"

struct cuda_blas; // NULL: not looked for

// Finds the library without loading it, and loads the small ones that it
// needs: once the server has given up the file system it may read the folder
// of cuda_blas_folder alone (NULL: there is no cuBLAS).
struct cuda_blas *cuda_blas_find(void);
const char *cuda_blas_folder(const struct cuda_blas *b);

// Loads the library, which takes some tenths of a second, and makes a handle on
// the current context. Later calls only say what came of it.
enum err cuda_blas_start(struct cuda_blas *b, struct err_info *e);

// Queues the product on `stream` (a CUstream).
enum err cuda_blas_product(struct cuda_blas *b, const struct gpu_product *p,
                           void *stream, struct err_info *e);

void cuda_blas_close(struct cuda_blas *b);

#endif

// SPDX-License-Identifier: Apache-2.0
// Blocks that can leave as files, and others' that came.
#ifndef GPU_CUDA_CUDA_EXPORT_H
#define GPU_CUDA_CUDA_EXPORT_H

#include "gpu/cuda/cuda_memory.h"

// Fills in a block of `bytes` that can be exported; a status of the driver.
int cuda_export_alloc(struct cuda_memory *m, size_t bytes,
                      struct cuda_block *b);
// Ends any block that cuda_export_alloc or an import made. It is out of the list.
int cuda_export_free(struct cuda_memory *m, const struct cuda_block *b);
void cuda_export_close(struct cuda_memory *m);

// Can memory of this device be made so that other processes map it?
bool cuda_memory_can_export(const struct cuda_driver *cu, int device);
// Others' memory for us, until cuda_memory_free: from a file, or by its handle.
enum err cuda_memory_import(struct cuda_memory *m, int fd, uint64_t bytes,
                            gpu_ptr *out, struct err_info *e);
enum err cuda_memory_open(struct cuda_memory *m, const struct gpu_ipc *handle,
                          gpu_ptr *out, struct err_info *e);

#endif

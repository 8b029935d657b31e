// SPDX-License-Identifier: Apache-2.0
// One rank of a group, through NCCL.
#ifndef GPU_NCCL_NCCL_H
#define GPU_NCCL_NCCL_H

#include <stddef.h>

#include "base/err.h"
#include "gpu/gpu.h"

struct nccl;

// Loads the library. ERR_UNSUPPORTED says why there is none.
enum err nccl_open(struct nccl **out, int *version, struct err_info *e);
// Of a group that is left or was never joined; NULL is fine.
void nccl_close(struct nccl *n);

enum err nccl_make_id(struct nccl *n, unsigned char id[GPU_COMM_ID_BYTES],
                      struct err_info *e);

// What joining needs of the device: memory for its trials, which stay as small as
// `bytes` each, and the end of what is queued on the default stream.
struct nccl_device {
  void *context;
  void *from, *to;
  size_t bytes;
  enum err (*finish)(void *context, struct err_info *e);
};

// Blocks until all ranks have come, and have used every operation with each other.
enum err nccl_join(struct nccl *n, int rank, int size,
                   const unsigned char id[GPU_COMM_ID_BYTES],
                   const struct nccl_device *with, struct err_info *e);

// Queues all of them as one group on `stream` (a CUstream).
enum err nccl_queue(struct nccl *n, const struct gpu_collective *list,
                    int count, void *stream, struct err_info *e);

// What NCCL found out about the group since; ERR_OK also without one.
enum err nccl_check(struct nccl *n, struct err_info *e);

// Ends the group; what is queued ends on the device soon after, in whatever state.
void nccl_abort(struct nccl *n);

#endif

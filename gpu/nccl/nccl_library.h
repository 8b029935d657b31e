// SPDX-License-Identifier: Apache-2.0
// NCCL's library, found at run time: nothing of it is needed to build.
#ifndef GPU_NCCL_NCCL_LIBRARY_H
#define GPU_NCCL_NCCL_LIBRARY_H

#include <stddef.h>

#include "base/err.h"
#include "gpu/gpu.h"

// ncclUniqueId, which goes by value.
struct nccl_id {
  unsigned char bytes[GPU_COMM_ID_BYTES];
};

struct nccl_api {
#define API(name, symbol, result, arguments) result(*name) arguments;
#include "gpu/nccl/nccl_api.def"
#undef API
};

// Loads the library that WARPSHOP_NCCL names, or else the first that is whole of those
// beside each NVRTC and the loader's. ERR_UNSUPPORTED says why there is none.
enum err nccl_library_load(struct nccl_api *out, int *version,
                           struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// Memory of a real GPU that several processes map, and events that order their work.
// What leaves goes as a file; what comes is a file, or what cuIpcGetMemHandle gave.
#ifndef GPU_GPU_SHARE_H
#define GPU_GPU_SHARE_H

#include <stdint.h>

#include "base/err.h"
#include "gpu/gpu_handle.h"

struct gpu_device;

// Names memory or an event of another process (CUipcMemHandle, CUipcEventHandle).
struct gpu_ipc {
  unsigned char bytes[64];
};

struct gpu_export {
  int fd;         // the receiver's to close
  gpu_ptr start;  // of the whole allocation, here
  uint64_t bytes; // of all of it, which is what is mapped
};

struct gpu_sharing {
  // The allocation that `p` lies in. ERR_UNSUPPORTED: it cannot leave.
  enum err (*export_memory)(struct gpu_device *d, gpu_ptr p,
                            struct gpu_export *out, struct err_info *e);
  // Maps all of another's allocation until mem_free. The file stays the caller's.
  enum err (*import_file)(struct gpu_device *d, int fd, uint64_t bytes,
                          gpu_ptr *out, struct err_info *e);
  enum err (*import_handle)(struct gpu_device *d, const struct gpu_ipc *handle,
                            gpu_ptr *out, struct err_info *e);
  // One of the GPU_SHARED_EVENTS that a device with shares_events has: another process
  // records it. ERR_UNSUPPORTED: it has none left.
  enum err (*export_event)(struct gpu_device *d, gpu_handle *out,
                           struct gpu_ipc *handle, struct err_info *e);
  const char *device_file; // that an export opens; NULL: none
};
enum { GPU_SHARED_EVENTS = 1 };

#endif

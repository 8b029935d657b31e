// SPDX-License-Identifier: Apache-2.0
// The devices that warpshop-device serves.
#include "gpu/gpu.h"
#include "gpu/remote/remote.h"

int remote_serve(int fd, char *count) {
  static const struct remote_device_kind kinds[] = {
      {"cuda", &gpu_cuda_backend, .is_real_gpu = true},
      {"virtual", &gpu_virtual_backend},
      {NULL},
  };
  return remote_serve_kinds(fd, kinds, count);
}

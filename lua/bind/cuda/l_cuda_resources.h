// SPDX-License-Identifier: Apache-2.0
// What a kernel takes of a multiprocessor.
#ifndef LUA_BIND_CUDA_L_CUDA_RESOURCES_H
#define LUA_BIND_CUDA_L_CUDA_RESOURCES_H

#include "lua/bind/cuda/l_cuda.h"

struct lresources {
  int registers; // of a thread; -1 where nobody knows
  int64_t local_bytes;
};
// What the kernel, bound to a device, takes of a multiprocessor. A device that
// takes PTX is told by a compile for a real one of its capability, once for
// each module.
struct lresources lkernel_resources(struct lkernel *k);
// The number of "sm_90a" or "compute_80".
int lcuda_arch_number(const char *arch);
// What machine code for it is compiled for: "sm_90a", "sm_80".
void lcuda_native_arch(const char *arch, char out[24]);

#endif

// SPDX-License-Identifier: Apache-2.0
// Kernels in Lua.
#ifndef LUA_BIND_CUDA_L_CUDA_KERNEL_H
#define LUA_BIND_CUDA_L_CUDA_KERNEL_H

#include "lua/bind/cuda/l_cuda.h"

void lkernel_open(lua_State *L);

#endif

// SPDX-License-Identifier: Apache-2.0
// Memory of the host that kernels reach.
#ifndef LUA_BIND_CUDA_L_CUDA_HOST_H
#define LUA_BIND_CUDA_L_CUDA_HOST_H

#include "lua/bind/cuda/l_cuda.h"

int lcuda_open_host(lua_State *L);

#endif

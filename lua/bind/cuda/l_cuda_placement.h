// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a launch ran.
#ifndef LUA_BIND_CUDA_L_CUDA_PLACEMENT_H
#define LUA_BIND_CUDA_L_CUDA_PLACEMENT_H

#include "lua/bind/cuda/l_cuda.h"

int lcuda_open_placement(lua_State *L);

#endif

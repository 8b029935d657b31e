// SPDX-License-Identifier: Apache-2.0
// cuda.time.
#ifndef LUA_BIND_CUDA_L_CUDA_TIME_H
#define LUA_BIND_CUDA_L_CUDA_TIME_H

#include "lua/bind/cuda/l_cuda.h"

// Two events of the running cuda.time, to bracket a launch with.
void lcuda_timing_pair(lua_State *L, struct ldevice *d, gpu_handle out[2]);
int lcuda_open_time(lua_State *L);

#endif

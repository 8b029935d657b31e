// SPDX-License-Identifier: Apache-2.0
// Arrays between host and device.
#ifndef LUA_BIND_CUDA_L_CUDA_ARRAY_H
#define LUA_BIND_CUDA_L_CUDA_ARRAY_H

#include "lua/bind/cuda/cuda.h"

// Push a copy of the array at 1 on `d`, or a host array with its elements.
int lcuda_push_on_device(lua_State *L, struct ldevice *d);
int lcuda_push_on_host(lua_State *L);
int lcuda_open_arrays(lua_State *L); // adds to the table on top

#endif

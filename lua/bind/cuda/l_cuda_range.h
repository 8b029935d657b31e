// SPDX-License-Identifier: Apache-2.0
// Marks for profilers.
#ifndef LUA_BIND_CUDA_L_CUDA_RANGE_H
#define LUA_BIND_CUDA_L_CUDA_RANGE_H

#include <lua.h>

// Adds cuda.range to the table on top.
int lcuda_open_range(lua_State *L);

#endif

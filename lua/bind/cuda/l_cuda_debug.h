// SPDX-License-Identifier: Apache-2.0
// cuda.debug.
#ifndef LUA_BIND_CUDA_L_CUDA_DEBUG_H
#define LUA_BIND_CUDA_L_CUDA_DEBUG_H

#include "lua/bind/cuda/l_cuda.h"

// Is the launch to be stepped, because cuda.debug runs?
bool lcuda_debug_wants(const struct lcuda *o);
// Steps it; true when it was given up before its end.
bool lcuda_debug_launch(lua_State *L, struct ldevice *d,
                        const struct launch_record *record);
int lcuda_open_debug(lua_State *L);

#endif

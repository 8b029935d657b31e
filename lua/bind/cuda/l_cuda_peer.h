// SPDX-License-Identifier: Apache-2.0
// Several devices: cuda.device(), cuda.memcpy_peer, x:to(device).
#ifndef LUA_BIND_CUDA_L_CUDA_PEER_H
#define LUA_BIND_CUDA_L_CUDA_PEER_H

#include "lua/bind/cuda/l_cuda.h"

// x:to(device): x itself where it is there already, else a copy there; "host"
// gives a host array.
int lcuda_array_to(lua_State *L);
// Of what cuda.device() gives, for the table on top.
void lcuda_set_device_methods(lua_State *L);
int lcuda_open_peer(lua_State *L);

#endif

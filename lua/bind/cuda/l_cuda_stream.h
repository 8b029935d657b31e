// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#ifndef LUA_BIND_CUDA_L_CUDA_STREAM_H
#define LUA_BIND_CUDA_L_CUDA_STREAM_H

#include "lua/bind/cuda/l_cuda.h"

struct lstream {
  int number; // from 1: the first stream that this state made
  struct ldevice *device;
  uint64_t generation;
  gpu_handle handle;
  int order; // its number in gpu/order.h, or -1
};
// The stream's handle on `d`, made anew after a restart; 0 for NULL.
gpu_handle lstream_handle(lua_State *L, struct lstream *s, struct ldevice *d);
int lcuda_open_stream(lua_State *L);

#endif

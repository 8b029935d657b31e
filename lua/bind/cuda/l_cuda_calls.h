// SPDX-License-Identifier: Apache-2.0
// Counts of what a program asked for (gpu/calls.def): cuda.calls(f).
#ifndef LUA_BIND_CUDA_L_CUDA_CALLS_H
#define LUA_BIND_CUDA_L_CUDA_CALLS_H

#include "lua/bind/cuda/l_cuda.h"

static inline void lcuda_count(struct lcuda *c, enum gpu_call which,
                               uint64_t n) {
  c->calls.count[which] += n;
}
// A copy of so many bytes, GPU_CALL_BYTES_...
void lcuda_count_copy(struct lcuda *c, enum gpu_call bytes_which, size_t bytes);
// Before memory is asked for: what is garbage is no part of a peak.
void lcuda_before_alloc(lua_State *L, struct ldevice *d, size_t bytes);
void lcuda_count_alloc(struct ldevice *d);
// Counts from now on, beginning with what arrays take.
void lcuda_start_counting(lua_State *L);

int lcuda_open_calls(lua_State *L);

#endif

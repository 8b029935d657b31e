// SPDX-License-Identifier: Apache-2.0
// Counts of what a program asked for (gpu/calls.def): cuda.calls(f).
#ifndef LUA_BIND_CUDA_L_CUDA_CALLS_H
#define LUA_BIND_CUDA_L_CUDA_CALLS_H

#include "lua/bind/cuda/cuda.h"

// A copy of so many bytes, GPU_CALL_BYTES_...
void lcuda_count_copy(struct lcuda *c, enum gpu_call bytes_which, size_t bytes);
// The same of one that was queued on a stream (NULL: the default one).
struct lstream;
void lcuda_count_queued(struct lcuda *c, const struct lstream *s,
                        enum gpu_call bytes_which, size_t bytes);
// Where calls are kept: something is about to be queued on the stream of that handle,
// and it was; the host begins to wait, and it has waited.
void ltrace_begin(struct ldevice *d, gpu_handle stream);
void ltrace_queued(struct lcuda *c, const struct lstream *s,
                   enum ltrace_kind kind, const char *name);
double ltrace_wait_begin(const struct lcuda *c);
void ltrace_host_waited(struct lcuda *c, double begin_us);
// Before memory is asked for: what is garbage is no part of a peak.
void lcuda_before_alloc(lua_State *L, struct ldevice *d, size_t bytes);
void lcuda_count_alloc(struct ldevice *d);

int lcuda_open_calls(lua_State *L);

#endif

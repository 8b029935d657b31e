// SPDX-License-Identifier: Apache-2.0
// Launches.
#ifndef LUA_BIND_CUDA_L_CUDA_LAUNCH_H
#define LUA_BIND_CUDA_L_CUDA_LAUNCH_H

#include "lua/bind/cuda/cuda.h"

// Remembers a launch that was just queued.
void lcuda_record_launch(struct ldevice *d, struct lkernel *k,
                         const struct gpu_launch *l);
// While cuda.profile runs, before a launch: has it counted.
void lcuda_count_launch(lua_State *L, struct ldevice *d, struct lkernel *k,
                        struct gpu_launch *l);
// Where work is counted: waits for what was queued, and charges it.
void lcuda_charge(lua_State *L, struct ldevice *d);
// Raises: a kernel was called, or configured, without its grid.
int lkernel_call_without_grid(lua_State *L);
int lcuda_open_launch(lua_State *L);

#endif

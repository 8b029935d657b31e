// SPDX-License-Identifier: Apache-2.0
// cuda.profile.
#ifndef LUA_BIND_CUDA_L_CUDA_PROFILE_H
#define LUA_BIND_CUDA_L_CUDA_PROFILE_H

#include "lua/bind/cuda/l_cuda.h"

// A launch is about to be queued while cuda.profile runs: `launch` gets the
// flag that has it counted, or is counted on the virtual GPU.
void lcuda_profile_launch(lua_State *L, struct ldevice *d,
                          const struct launch_record *record,
                          struct gpu_launch *launch);
int lcuda_open_profile(lua_State *L);

#endif

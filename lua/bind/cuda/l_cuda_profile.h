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
// A real GPU's launch has run on the virtual one, with `params`.
void lcuda_profile_replayed(lua_State *L, struct ldevice *d,
                            const struct launch_record *record,
                            const uint8_t *params);
// What such a launch gets beside the flag that counts it.
uint32_t lcuda_profile_flags(const struct lcuda *o);
int lcuda_open_profile(lua_State *L);

#endif

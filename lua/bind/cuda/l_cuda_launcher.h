// SPDX-License-Identifier: Apache-2.0
// Launchers: a kernel with its grid and block.
#ifndef LUA_BIND_CUDA_L_CUDA_LAUNCHER_H
#define LUA_BIND_CUDA_L_CUDA_LAUNCHER_H

#include <lua.h>

// Pushes the launcher for the configuration table at `at`; kernel at index 1.
int lkernel_push_launcher(lua_State *L, int at);

#endif

// SPDX-License-Identifier: Apache-2.0
// What the C files of scale share.
#ifndef LUA_BIND_SCALE_L_SCALE_H
#define LUA_BIND_SCALE_L_SCALE_H

#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// [core] -> [core], with the functions of each file.
void lscale_open_bytes(lua_State *L);
void lscale_open_workers(lua_State *L);
void lscale_open_cluster(lua_State *L);

// Pushes the end of a worker's own socket.
void lscale_push_channel(lua_State *L, int fd);

#endif

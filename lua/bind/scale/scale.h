// SPDX-License-Identifier: Apache-2.0
// The library `scale`: arrays and frames in chunks, tasks and workers, written in
// Lua (lua/scale) over what is here.
#ifndef LUA_BIND_SCALE_SCALE_H
#define LUA_BIND_SCALE_SCALE_H

#include <lua.h>

// Makes the global `scale`, whose Lua files are loaded at the first look at one of
// its fields.
void lscale_open(lua_State *L);

// In a worker, which this program starts itself (l_scale_worker.c): does what comes
// over the socket until its other end is gone. 0, or a status for exit.
int lscale_work(lua_State *L);

// Pushes the function with which Python runs tasks in a worker of Dask's
// (lua/scale/guest.lua). May raise.
void lscale_push_guest(lua_State *L);

#endif

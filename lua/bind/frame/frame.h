// SPDX-License-Identifier: Apache-2.0
// The library `frame`: tables with named columns, written in Lua (lua/frame)
// over what is here and in table/ and csv/.
#ifndef LUA_BIND_FRAME_FRAME_H
#define LUA_BIND_FRAME_FRAME_H

#include <lua.h>

// Makes the global `frame`, whose Lua files are loaded at the first look at one
// of its fields.
void lframe_open(lua_State *L);

#endif

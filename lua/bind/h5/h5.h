// SPDX-License-Identifier: Apache-2.0
// The library `h5`: files of HDF5 under h5py's names, written in Lua (lua/h5) over what
// is here.
#ifndef LUA_BIND_H5_H5_H
#define LUA_BIND_H5_H5_H

#include <lua.h>

// Makes the global `h5`, whose Lua files are loaded at the first look at one of its
// fields.
void lh5_open(lua_State *L);
// [core] -> [core], with h5_open: a file, whose methods are in l_h5.c.
void lh5_open_functions(lua_State *L);

#endif

// SPDX-License-Identifier: Apache-2.0
// .npz files.
#ifndef LUA_BIND_NP_NP_NPZ_H
#define LUA_BIND_NP_NP_NPZ_H

#include "lua/bind/np/np_npy.h"

// Pushes a table of the arrays in a .npz file of this length, by their names.
int npz_push_table(lua_State *L, const char *path, FILE *f, int64_t length);
// write_zip(path, names, arrays, compressed)
int npz_write(lua_State *L);

#endif

// SPDX-License-Identifier: Apache-2.0
// .npy and .npz files: what np_npy.c and np_npz.c share.
#ifndef LUA_BIND_NP_NP_NPY_H
#define LUA_BIND_NP_NP_NPY_H

#include <stdio.h>

#include "lua/bind/np/np.h"

// The name of a file, which is argument 1.
const char *npy_check_path(lua_State *L);
// Pushes a stream that closes itself when an error is raised: open, or NULL.
FILE **npy_push_file(lua_State *L, const char *path, const char *mode);
FILE **npy_push_stream(lua_State *L);

// Pushes the array that `f` holds. `available` bytes are in it; negative: it
// cannot tell. `path` is for messages.
void npy_push_array(lua_State *L, const char *path, FILE *f, int64_t available);
// Pushes what stands in front of an array's elements.
void npy_push_header(lua_State *L, const struct array *a);
// Pushes a contiguous copy of the array, table or number at `i` that a file
// can hold.
struct array *npy_push_savable(lua_State *L, int i, const char *function);

// Adds the functions on files that only np's Lua files use.
void npy_open(lua_State *L);

#endif

// SPDX-License-Identifier: Apache-2.0
// What the C files of frame share.
#ifndef LUA_BIND_FRAME_L_FRAME_H
#define LUA_BIND_FRAME_L_FRAME_H

#include "lua/bind/frame/table/table.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// The array at `i` with one axis on the host, its elements in a row, of type
// `t` (DTYPE_COUNT: of any); a copy stands in its place where it is not so.
struct array *lframe_check_column(lua_State *L, int i, enum dtype t);
// Pushes an array of n elements of one axis.
void *lframe_push_column(lua_State *L, enum dtype t, int64_t n);

// Pushes a dictionary of texts, which takes `t` (NULL: a new one). Raises
// `out-of-memory`.
struct texts *lframe_push_texts(lua_State *L, struct texts *t);
struct texts *lframe_check_texts(lua_State *L, int i);

// Pushes memory that another process can have as a file: its descriptor. Raises.
int lframe_push_memory(lua_State *L);
// That of the memory at `i`; -1: it is none.
int lframe_memory_fd(lua_State *L, int i);

// [core] -> [core], with the functions of each file.
void lframe_open_texts(lua_State *L);
void lframe_open_groups(lua_State *L);
void lframe_open_csv(lua_State *L);
void lframe_open_arrow(lua_State *L);
void lframe_open_python(lua_State *L);
// csv_write(...), in l_frame_write.c.
int lframe_l_csv_write(lua_State *L);

#endif

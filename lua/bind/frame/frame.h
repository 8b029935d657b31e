// SPDX-License-Identifier: Apache-2.0
// The library `frame`: tables with named columns, written in Lua (lua/frame)
// over what is here and in table/ and csv/.
#ifndef LUA_BIND_FRAME_FRAME_H
#define LUA_BIND_FRAME_FRAME_H

#include <lua.h>

#include "lua/bind/frame/arrow/arrow.h"

struct storage;

// Makes the global `frame`, whose Lua files are loaded at the first look at one
// of its fields.
void lframe_open(lua_State *L);

// ---- Columns from elsewhere, and for elsewhere ----

// Pushes {type, data, texts} of an Arrow column: over `in_place`, whose reference it
// takes, where that is not NULL, else a copy. What it pushed is of no use where it
// returns an error.
enum err lframe_push_arrow_column(lua_State *L, const struct arrow_column *c,
                                  struct storage *in_place, struct err_info *e);
// Pushes what is to be written of the list of names at `names` and that of columns
// ({data, texts, is_object}) behind it, which keep it. Raises.
struct arrow_written *lframe_push_written(lua_State *L, int names, int *count);
// [list of {name, type, data, texts}, rows] -> [frame]; of one column, a series, where
// rows is nil. Raises.
void lframe_push_frame(lua_State *L);

#endif

// SPDX-License-Identifier: Apache-2.0
// The library `ml`: clusters, lines, components and neighbours, under
// scikit-learn's names, written in Lua (lua/ml) over what is here and in compute/.
#ifndef LUA_BIND_ML_ML_H
#define LUA_BIND_ML_ML_H

#include <lua.h>

// Makes the global `ml`, whose Lua files are loaded at the first look at one of
// its fields.
void lml_open(lua_State *L);

#endif

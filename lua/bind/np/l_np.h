// SPDX-License-Identifier: Apache-2.0
// The np table: methods and properties of arrays, and opening it.
#ifndef LUA_BIND_NP_L_NP_H
#define LUA_BIND_NP_L_NP_H

#include "lua/bind/np/array.h"

// Pushes the table of array methods (x:name()) or of properties (x.name, each
// a function of the array), so that other bindings can add theirs.
void array_push_methods(lua_State *L);
void array_push_properties(lua_State *L);

int luaopen_np(lua_State *L);

#endif

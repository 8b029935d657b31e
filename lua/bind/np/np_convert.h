// SPDX-License-Identifier: Apache-2.0
// Lua values as arrays, and one array as another.
#ifndef LUA_BIND_NP_NP_CONVERT_H
#define LUA_BIND_NP_NP_CONVERT_H

#include "lua/bind/np/array.h"

// The dtype named at index `i`; `fallback` where it is nil or none. Raises.
enum dtype array_check_dtype(lua_State *L, int i, enum dtype fallback);
// A shape (a number or a table of numbers) at index `i`; returns ndim. Raises.
int array_check_shape(lua_State *L, int i, const char *function,
                      int64_t shape[ARRAY_MAX_DIMS]);
// One element as a Lua value, and back (raises when it does not fit).
void array_push_element(lua_State *L, enum dtype t, const void *p);
void array_store_element(lua_State *L, enum dtype t, void *p, int i);
// Converts what is at index `i` (array, nested tables, number, boolean) to a
// host array and pushes it; `t` DTYPE_COUNT: its natural type.
struct array *array_push_from(lua_State *L, int i, enum dtype t);
// Pushes a C-contiguous copy of a host array as type `t`.
struct array *array_push_copy(lua_State *L, const struct array *a,
                              enum dtype t);
// to[...] = from, with broadcasting and conversion; both on the host. Raises.
void array_assign(lua_State *L, struct array *to, const struct array *from);

#endif

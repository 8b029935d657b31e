// SPDX-License-Identifier: Apache-2.0
// Values as the prompt and print show them.
#ifndef LUA_BIND_STATE_SHOW_H
#define LUA_BIND_STATE_SHOW_H

#include <lua.h>

#include "base/str.h"

// Adds the value at index `i` as a person reads it: tables opened (bounded,
// cycles named), strings quoted unless they have several lines, everything
// else as tostring says. Breaks tables into lines past `columns`. May raise
// what a __tostring raises.
void show_value(lua_State *L, int i, int columns, struct str *out);

#endif

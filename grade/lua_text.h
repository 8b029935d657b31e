// SPDX-License-Identifier: Apache-2.0
// A value of Lua written as Lua.
#ifndef GRADE_LUA_TEXT_H
#define GRADE_LUA_TEXT_H

#include <lua.h>
#include <stdbool.h>

#include "base/str.h"

// Adds numbers, texts, booleans and tables of these, on one line: what is listed,
// then `name`, then the other keys by their letters. False, with the half of it
// added, where something else is in it, a table within more than 8 others, or a key
// that is neither text nor number.
bool lua_text_add(struct str *out, lua_State *L, int index);

#endif

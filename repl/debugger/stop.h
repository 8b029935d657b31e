// SPDX-License-Identifier: Apache-2.0
// The stop's table, at index 1 of the Lua stack.
#ifndef REPL_DEBUGGER_STOP_H
#define REPL_DEBUGGER_STOP_H

#include <lua.h>
#include <stdbool.h>

#include "base/str.h"

const char *stop_field(lua_State *L, const char *name); // "": none
int stop_number(lua_State *L, const char *name);
bool stop_is(lua_State *L, const char *name);
void stop_add_triple(lua_State *L, const char *name, struct str *out);
// The number in its block of the thread in focus.
unsigned stop_thread(lua_State *L, const unsigned block[3]);

#endif

// SPDX-License-Identifier: Apache-2.0
// A line of Python, JavaScript or C as Lua.
#ifndef REPL_TRANSLATE_H
#define REPL_TRANSLATE_H

#include <lua.h>
#include <stdbool.h>

// The line as Lua that compiles; NULL where that is not known, and for a line
// that is Lua already, unless `even_lua`. L is the learner's state, in which
// the line's variables are looked up (NULL: none are known). The caller frees.
char *translate_line(lua_State *L, const char *line, bool even_lua);

#endif

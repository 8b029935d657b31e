// SPDX-License-Identifier: Apache-2.0
// Python pasted at the prompt is recognised and answered with the Lua form.
#ifndef REPL_EVAL_PYTHON_H
#define REPL_EVAL_PYTHON_H

#include <lua.h>
#include <stdbool.h>

#include "base/str.h"

// Is this line Python, C or a shell's, as far as its look says?
bool python_is(const char *line);

// Then `answer` gets a sentence or two, with the line in Lua where that can be
// made, and else with an example. To be asked only about lines that do not
// compile, or (`even_lua`) that failed when they ran. L has the variables that
// the line names.
bool python_answer(lua_State *L, const char *line, bool even_lua,
                   struct str *answer);

#endif

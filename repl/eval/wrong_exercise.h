// SPDX-License-Identifier: Apache-2.0
// An exercise's name at the prompt, where a line of Lua is expected.
#ifndef REPL_EVAL_WRONG_EXERCISE_H
#define REPL_EVAL_WRONG_EXERCISE_H

#include <lua.h>
#include <stdbool.h>

#include "base/str.h"

// Is the line nothing but the name of an exercise of the course ("block-sum",
// "block_sum", "exercise block-sum"), and no name of a variable? Then `answer` gets
// the line that opens it.
bool wrong_exercise(lua_State *L, const char *line, struct str *answer);

#endif

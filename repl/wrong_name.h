// SPDX-License-Identifier: Apache-2.0
// What to write where a name that is called or indexed holds nothing.
#ifndef REPL_WRONG_NAME_H
#define REPL_WRONG_NAME_H

#include <lua.h>
#include <stdbool.h>

#include "base/str.h"

// Lua's "attempt to call a nil value (field 'sume')" about `line`, which may be
// NULL: a sentence on what is there instead, if there is anything to say.
bool wrong_name_answer(lua_State *L, const char *error, const char *line,
                       struct str *answer);

// A line that is one name alone, and nothing is called so: its value, nil,
// shows nothing. False where `text` is anything else.
bool wrong_name_lone(lua_State *L, const char *text, struct str *answer);

#endif

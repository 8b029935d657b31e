// SPDX-License-Identifier: Apache-2.0
// What to write where a name that is called or indexed holds nothing.
#ifndef REPL_EVAL_WRONG_NAME_H
#define REPL_EVAL_WRONG_NAME_H

#include "repl/eval/eval.h"
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

// Does the line read x.shape[0] or x.shape[-1], which are nil in Lua's tables?
bool wrong_name_shape(const char *line);
#define WRONG_NAME_SHAPE                                                       \
  "x.shape is a table of Lua's, which counts from 1: the first size is "       \
  "x.shape[1], the last x.shape[x.ndim]"

#endif

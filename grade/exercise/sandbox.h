// SPDX-License-Identifier: Apache-2.0
// The Lua state that exercise.lua runs in.
#ifndef GRADE_EXERCISE_SANDBOX_H
#define GRADE_EXERCISE_SANDBOX_H

#include <lua.h>

#include "base/err.h"

// A state with math, string, table and the parts of the base library that
// reach neither files nor other chunks; at most 1e8 instructions a call, and
// 512 MiB. Runs `text` in it and leaves the table that it returned on the stack. ERR_ARGUMENT
// has Lua's words.
enum err sandbox_open(const char *text, const char *folder, lua_State **out,
                      struct err_info *e);
// Runs another text in it; what it returned, a table, is then on top.
enum err sandbox_run(lua_State *L, const char *text, const char *folder,
                     struct err_info *e);
void sandbox_close(lua_State *L); // NULL is fine

// lua_pcall under the limit; ERR_ARGUMENT has Lua's words.
enum err sandbox_call(lua_State *L, int arguments, int results,
                      struct err_info *e);

#endif

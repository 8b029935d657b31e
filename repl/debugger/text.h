// SPDX-License-Identifier: Apache-2.0
// The debugger as text.
#ifndef REPL_DEBUGGER_TEXT_H
#define REPL_DEBUGGER_TEXT_H

#include "repl/debugger/session.h"

// Asks the back end. False: it refused, and said why.
bool debugger_ask(struct debugging *d, lua_State *L, const char *line);
// The same without a word: what it answers, or NULL and (where `why` is not NULL)
// why not. The caller frees both.
char *debugger_query(lua_State *L, const char *line, char **why);
// The finding that the launch stopped at, in words; the caller frees it.
char *debugger_finding(lua_State *L);
void debugger_undisplay(struct debugging *d, const char *args);
// Runs one line as it was typed, and prints what it answers.
void debugger_do(struct debugging *d, lua_State *L, const char *line);
// The same as a function of Lua: [stop, debugging, line].
int debugger_do_protected(lua_State *L);
// Commands until the person leaves.
void debugger_prompt(struct debugging *d, lua_State *L);

#endif

// SPDX-License-Identifier: Apache-2.0
// The debugger of :debug.
#ifndef REPL_DEBUGGER_DEBUGGER_H
#define REPL_DEBUGGER_DEBUGGER_H

#include "repl/shop.h"

// Runs an expression of Lua, its launches under the debugger. False: it failed, and
// that was said.
bool debugger_run(struct shop *s, const char *launch);
// The commands of its prompt.
void debugger_help(struct shop *s);
// The i-th of them that begins so, or NULL; the caller frees it.
char *debugger_complete(const char *word, int i);

#endif

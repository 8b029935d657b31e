// SPDX-License-Identifier: Apache-2.0
// The words of the debugger's prompt.
#ifndef REPL_DEBUGGER_WORDS_H
#define REPL_DEBUGGER_WORDS_H

#include "repl/debugger/session.h"

enum own_command {
  OWN_LIST,
  OWN_DISPLAY,
  OWN_UNDISPLAY,
  OWN_HELP,
  OWN_QUIT,
  OWNS
};
bool debugger_is_own(enum own_command row, const char *word);
void debugger_print_help(struct shop *s, const char *name);
// The command that is nearly called so, or NULL.
const char *debugger_nearest(const char *word);
// gdb's words become ours first. False: there is nothing to run, which was said.
bool debugger_translate(struct debugging *d, const char *line,
                        char out[DEBUGGER_LINE]);

#endif

// SPDX-License-Identifier: Apache-2.0
// What the debugger's screen asks the back end.
#ifndef REPL_DEBUGGER_REFRESH_H
#define REPL_DEBUGGER_REFRESH_H

#include "repl/debugger/screen.h"

// Asks for all that is shown, after the launch has moved.
void screen_refresh(struct debug_screen *s);
// Of the elements that are shown, and of shared memory's variables.
void screen_refresh_shared(struct debug_screen *s);

#endif

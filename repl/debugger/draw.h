// SPDX-License-Identifier: Apache-2.0
// A picture of the debugger's screen.
#ifndef REPL_DEBUGGER_DRAW_H
#define REPL_DEBUGGER_DRAW_H

#include "repl/debugger/screen.h"

void screen_draw_debugger(struct debug_screen *s);
char *screen_list_keys(void); // the page of `?`; to be freed
// Line `line` (from 1) of the source; "" behind the last.
const char *screen_line_of(const char *source, int line, size_t *bytes);
int screen_count_lines(const char *source);

#endif

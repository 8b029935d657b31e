// SPDX-License-Identifier: Apache-2.0
// What stood on the screen lately, for :report.
#ifndef REPL_TUI_TRANSCRIPT_H
#define REPL_TUI_TRANSCRIPT_H

#include <stdio.h>

#include "base/str.h"

// From here on what is written to stdout and stderr is kept, too; to be called
// before Lua is opened, which holds on to both.
void transcript_begin(void);
// The terminal itself, for what is not to be kept: a line as it is edited.
FILE *transcript_terminal(void);
// A line that was typed, behind its prompt.
void transcript_typed(const char *prompt, const char *line);
// Adds the last lines, without colours.
void transcript_add_last(int lines, struct str *out);

#endif

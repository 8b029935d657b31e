// SPDX-License-Identifier: Apache-2.0
// Texts cut to the terminal.
#ifndef REPL_TUI_FIT_H
#define REPL_TUI_FIT_H

#include "repl/tui/screen.h"

// Adds text as it fits the terminal: prose is wrapped at words, under
// its own indent or its second column; tables of Markdown are aligned; lines of
// source ("  3 | ...") are cut to what stands around the carets below them, and
// what is said behind carets moves to the next line. Text that no terminal shows
// is left as it is, for programs to read.
void screen_fit(const struct screen *s, const char *text, struct str *out);

#endif

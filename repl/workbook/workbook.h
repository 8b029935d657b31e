// SPDX-License-Identifier: Apache-2.0
// The workbook: the course on a whole screen, beside the prompt. What runs, runs in
// the session's one Lua state, so that the prompt finds it as the page left it.
#ifndef REPL_WORKBOOK_WORKBOOK_H
#define REPL_WORKBOOK_WORKBOOK_H

#include "repl/shop.h"

// Opens it where it was left, at first with its contents, or the open lesson's page;
// comes back when the person wants the prompt (or s->wants_quit). False, with a
// sentence, where there can be none.
bool workbook_open(struct shop *s);
// Is a screen wanted here, and large enough? Says nothing.
bool workbook_fits(const struct shop *s);
// The prompt's empty line: comes back from the prompt, to the next page where what
// this one asks is done.
void workbook_come_back(struct shop *s);
void workbook_free(struct shop *s);

#endif

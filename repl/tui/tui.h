// SPDX-License-Identifier: Apache-2.0
// What the other rooms use of the screen: sentences that fit it, and pages.
#ifndef REPL_TUI_TUI_H
#define REPL_TUI_TUI_H

#include "repl/shop.h"
#include "repl/tui/terminal.h"

// ---- say.c ----

// A sentence on standard error, led by "warpshop: ".
void shop_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// The one way to the screen for words: fitted to it (screen_fit), on standard
// output, a screen at a time; a line end is added where there is none.
void shop_print(struct shop *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// The same in a quieter style, for what is said beside a result.
void shop_note(struct shop *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// The same on standard error, for what went wrong.
void shop_warn(struct shop *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

// ---- pager.c ----

// Prints text and its line end; on a terminal a screen at a time, with a
// question between them. False when the person stopped it.
bool pager_print(struct shop *s, const char *text);
#define PAGER_QUESTION "-- more -- (space goes on, q stops) "

#endif

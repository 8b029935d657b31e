// SPDX-License-Identifier: Apache-2.0
// What the other rooms use of the screen: how wide it is and what is written there
// (screen.h), lines and keys (terminal.h), sentences that fit it, and pages.
#ifndef REPL_TUI_TUI_H
#define REPL_TUI_TUI_H

#include <stdio.h>

#include "base/str.h"
#include "base/text/text.h"
#include "repl/tui/screen.h"
#include "repl/tui/terminal.h"

struct shop;

// ---- say.c ----

// A sentence on standard error, led by "warpshop: ".
void shop_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// The one way to the screen for words: fitted to it (screen_fit), on standard
// output, a screen at a time; a line end is added where there is none.
void shop_print(struct shop *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// Likewise a text that was put together in English (pictures, counts, verdicts), in the
// reader's language.
void shop_report(struct shop *s, const char *text);
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
#define PAGER_QUESTION message("-- more -- (space goes on, q stops) ")

// ---- recall.c ----

// Is how an earlier text goes on to stand behind what is typed? WARPSHOP_SUGGESTIONS=0:
// no. The second sets it, for programs that this one starts, too.
bool recall_is_wanted(void);
void recall_want(bool is_wanted);

// ---- graphics.c ----

// How the terminal shows images: it is asked once, when the first is to be shown, and
// what is typed meanwhile is kept. A terminal that does not answer, or NO_COLOR, plain
// text, WARPSHOP_GRAPHICS=0: not at all.
enum graphics graphics_of(struct screen *s);
// The pixels of a character.
void graphics_cell(int *width, int *height);

// ---- fit.c ----

// Adds text as it fits the terminal: prose is wrapped at words, under
// its own indent or its second column; tables of Markdown are aligned; lines of
// source ("  3 | ...") are cut to what stands around the carets below them, and
// what is said behind carets moves to the next line. Text that no terminal shows
// is left as it is, for programs to read.
void screen_fit(const struct screen *s, const char *text, struct str *out);
// Is there room for a table, which screen_fit else says row by row?
bool screen_draws_table(const struct screen *s, const char *table);

// ---- transcript.c: what stood on the screen lately, for :report ----

// From here on what is written to stdout and stderr is kept, too; to be called
// before Lua is opened, which holds on to both.
void transcript_begin(void);
// The terminal itself, for what is not to be kept: a line as it is edited.
FILE *transcript_terminal(void);
// What was typed behind its prompt; `more`, which may be NULL, stands before its
// further lines.
void transcript_typed(const char *prompt, const char *more, const char *text);
// Each text that was typed at the prompt in what is kept (the newest megabyte),
// oldest first, with what was printed until the next one.
void transcript_each(void (*each)(void *context, const char *typed,
                                  const char *shown),
                     void *context);
// What is printed while it is paused is seen elsewhere, and not kept.
void transcript_pause(bool on);
// Adds what was printed since it was at `mark`, without colours.
size_t transcript_mark(void);
void transcript_add_since(size_t mark, struct str *out);
// Adds the last lines, without colours.
void transcript_add_last(int lines, struct str *out);

#endif

// SPDX-License-Identifier: Apache-2.0
// What Readline edits, drawn by us: a text of several lines is edited as one.
#ifndef REPL_TUI_BLOCK_H
#define REPL_TUI_BLOCK_H

#include <stdbool.h>

struct terminal_session;

// Reads the person's inputrc, and then gives the keys that move by lines their
// meaning inside a text. False where the terminal cannot move its cursor up:
// then Readline draws one line at a time, and nothing below has an effect.
bool block_open(const struct terminal_session *s);
bool block_is_open(void);
// plain_want has said otherwise: from the next line on Readline draws, or we do.
void block_turn_plain(const struct terminal_session *s);

// A line is read next; with `more`, the prompt of further lines, it may have
// several.
void block_begin(const char *more);
void block_begun(void); // Readline has made the terminal ready
// A line below the text, until the next key; nothing where Readline draws.
void block_note(const char *text);
// Behind each key.
void block_key_done(void);
// What a key that means nothing says below the line; NULL: the prompt's own words.
void block_way_out(const char *text);
// Esc, behind which nothing came.
void block_escape_alone(void);
// The same as a function of Readline's: says the way out.
int block_escape(int count, int key);
// What was typed stays on the screen, whole, and the cursor goes to the line below.
void block_leave(void);
// Has somebody asked for an editor, and what it made of the text.
bool block_takes_editor(void);
void block_replace(const char *text);
// Takes the text off the screen, for others to write there; where Readline draws, the
// cursor goes to the line below.
void block_clear(void);
// From here on the terminal's line is empty.
void block_forget_picture(void);
// Something else wrote on the screen, or its size is another: draws anew.
void block_redraw(void);
void block_resized(void);

#endif

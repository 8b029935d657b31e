// SPDX-License-Identifier: Apache-2.0
// What is written on the screen: width, styles, wrapped text. Plain text when
// NO_COLOR is set, TERM is dumb or standard output is no terminal.
#ifndef REPL_TUI_SCREEN_H
#define REPL_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_DIM, STYLE_ERROR, STYLE_CODE };

// Inline marks inside prose, one byte each and without width.
enum {
  MARK_STRONG = '\x01',
  MARK_EMPHASIS = '\x02',
  MARK_CODE = '\x03',
  MARK_END = '\x04',
  MARK_BREAK = '\x05', // a hard line break
};

enum graphics {
  GRAPHICS_UNKNOWN,
  GRAPHICS_NONE,
  GRAPHICS_SIXEL,
  GRAPHICS_KITTY
};

struct screen {
  bool is_terminal; // standard input and output both are
  bool has_colour;
  bool
      is_plain; // for a screen reader: nothing drawn anew, pictures as sentences
  int columns, rows;
  bool has_status;        // how a wait stands was said, and it is not over
  bool has_progress;      // how far a work is stands on the screen, or was said
  bool is_ascii;          // pictures are drawn without braille and the like
  int colours;            // 16, 256, or 1 << 24; 0: none
  enum graphics graphics; // graphics_of has it
};

// Sets the locale's character type (numbers stay in C form) and looks at the
// environment.
void screen_open(struct screen *s);
void screen_measure(struct screen *s); // after SIGWINCH
// Plain or not, from here on, for programs that this one starts, too.
void screen_turn_plain(struct screen *s, bool is_plain);

// Prints `text` in a style, without a line end of its own.
void screen_print(const struct screen *s, enum style style, const char *text);

// Columns that UTF-8 text takes; marks take none.
int screen_width_of(const char *text, size_t bytes);

// Rows that lines of text take on the screen.
int screen_rows_of(const struct screen *s, const char *text);

// Breaks prose with marks into lines of at most `columns`, every one but the
// first led by `indent` spaces, and adds it to `out` with the marks turned into
// colour or, without colour, into `code` and plain words.
void screen_wrap(const struct screen *s, const char *prose, int indent,
                 struct str *out);

// A sentence and a line end on standard error, wrapped where that is a terminal.
void screen_say(const char *text);

// How a wait stands, on standard error: on a terminal's one line, which the next
// takes over and "" clears; elsewhere the first of a wait is said.
void screen_status(struct screen *s, const char *text);
// How far a work is: on a terminal likewise, as a sentence once where text alone is
// wanted, and elsewhere not at all.
void screen_progress(struct screen *s, const char *text);

#endif

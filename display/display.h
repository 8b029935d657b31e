// SPDX-License-Identifier: Apache-2.0
// A whole screen of a terminal: opened, drawn, read and left as it was found, over
// ncurses' wide characters. The library is looked for when a screen is opened; where
// it is missing, or the terminal cannot, whoever asked writes plain text.
//
//   display_open -> { display_begin, pane_put ..., display_show, display_wait }
//   -> display_close
//
// One is open at a time. Whatever ends the process while it is open, but for SIGKILL,
// puts the terminal right; after SIGKILL display_repair does, in the next one.
#ifndef DISPLAY_DISPLAY_H
#define DISPLAY_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { DISPLAY_MIN_COLUMNS = 60, DISPLAY_MIN_ROWS = 16 };
// Is a window of that size large enough?
bool display_fits(int columns, int rows);

struct display;

// ERR_UNSUPPORTED: no screen can be had here, and why, as a sentence.
enum err display_open(struct display **out, struct err_info *e);
void display_close(struct display *d); // NULL is fine
// Does it show any colour? Without, what is told by one is told by a mark, too.
bool display_has_colour(const struct display *d);
// Does a screen have the whole terminal? What else is written spoils it then.
bool display_is_open(void);
// Does the user want text alone? WARPSHOP_PLAIN=1, or TERM=dumb.
bool display_is_unwanted(void);
// Called by every program of ours when it starts: where a screen was killed on this
// terminal, its modes are put right. Costs a look for a file.
void display_repair(void);
// The same for a prompt, whose lines are edited in modes of their own: until
// display_unguard, whatever ends the process writes `leave` and puts the terminal's
// modes of now back. False: there is no terminal, or somebody sees to it already.
bool display_guard(const char *leave);
void display_unguard(void);

// ---- Drawing ----

// What a text is, not which colour it has (role.def).
enum display_role {
#define ROLE(name, attributes, c16, c256, rgb) ROLE_##name,
#include "display/role.def"
#undef ROLE
  ROLES
};

// A rectangle of the screen: rows and columns of it count from 0.
struct pane {
  struct display *display;
  int row, column, rows, columns;
};

// Begins a picture: all of the screen, empty.
struct pane display_begin(struct display *d);
// Brings it to the terminal, as little as differs. On a screen that is smaller than
// the least, one sentence that says so takes its place.
void display_show(struct display *d);
bool display_is_small(const struct display *d);

// Cut a part off a pane, at most all of it: `p` keeps the rest.
struct pane pane_cut_top(struct pane *p, int rows);
struct pane pane_cut_bottom(struct pane *p, int rows);
struct pane pane_cut_left(struct pane *p, int columns);

// Writes UTF-8 text into a row, from a column on, as much as there is room for; the
// column behind it. What controls a terminal is shown as "?".
int pane_put(const struct pane *p, int row, int column, enum display_role role,
             const char *text);
// The same, ending at the right edge.
void pane_put_right(const struct pane *p, int row, enum display_role role,
                    const char *text);
// Puts the text, broken at words, from a row on; the rows it takes, seen or not.
int pane_put_words(const struct pane *p, int row, int column, const char *text,
                   bool is_seen);
// A whole row, filled up with blanks.
void pane_put_row(const struct pane *p, int row, enum display_role role,
                  const char *text);

// Columns that UTF-8 text takes: two of a wide character, none of a combining one.
int display_width(const char *text, size_t bytes);
// The bytes of `text` that fit into so many columns, whole characters alone.
size_t display_fit(const char *text, int columns);
// The same up to a blank, where a word fits.
size_t display_fit_words(const char *text, int columns);

// ---- Keys ----

// Characters are themselves (Ctrl-C is 3, Tab '\t', Enter '\n'); the rest:
enum {
  DISPLAY_INTERRUPT = 3, // Ctrl-C
  DISPLAY_LEAVE = 4,     // Ctrl-D
  DISPLAY_ESCAPE = 27,
  DISPLAY_BACKSPACE = 127,
  DISPLAY_UP = 0x110000, // beyond Unicode
  DISPLAY_DOWN,
  DISPLAY_RIGHT,
  DISPLAY_LEFT,
  DISPLAY_HOME,
  DISPLAY_END,
  DISPLAY_PAGE_UP,
  DISPLAY_PAGE_DOWN,
  DISPLAY_INSERT,
  DISPLAY_DELETE,
  DISPLAY_BACK_TAB,
  DISPLAY_F1,
  DISPLAY_F10 = DISPLAY_F1 + 9,
  DISPLAY_UNKNOWN, // a key that nothing is known of
  DISPLAY_CLICK,   // the mouse, at display_clicked; of screens that take clicks
  DISPLAY_PASTED,  // text, which display_pasted has
  DISPLAY_REDRAW, // no key: the size is another one, or the screen is to be drawn anew
  DISPLAY_READY,   // no key: the file can be read
  DISPLAY_LATE,    // no key: the time is over
  DISPLAY_GONE,    // the terminal is gone: leave
  DISPLAY_NOTHING, // of the mouse; display_wait keeps it to itself
};

// Waits up to `ms` (-1: as long as it takes) for a key, or until `fd` (-1: none) can
// be read. Ctrl-Z stops the program, and Ctrl-L draws anew: DISPLAY_REDRAW follows.
int display_wait(struct display *d, int fd, int ms);
const char *display_pasted(const struct display *d);
// The wheel is three times Up or Down. A screen that knows what stands where asks for
// clicks; the row and column of the screen where the last one was.
void display_take_clicks(struct display *d);
void display_clicked(const struct display *d, int *row, int *column);
// Is the mouse to be ours on screens? WARPSHOP_MOUSE=0: no, and the terminal selects text
// with it, as it does with Shift. The second sets it, for programs that this one starts,
// too.
bool display_mouse_is_wanted(void);
void display_want_mouse(bool is_wanted);
// What was typed and is no key that was taken yet: whoever has the terminal next is
// to have it.
const char *display_unread(const struct display *d);
// Around work that takes the thread: Ctrl-C comes as SIGINT, which whoever called
// catches, and all other keys wait. What standard output gets meanwhile is not
// looked at: it may be somebody else's.
void display_run(struct display *d, bool is_running);

// ---- A line that is typed ----

enum { TYPED_BYTES = 1000 };
struct typed {
  char text[TYPED_BYTES]; // UTF-8
  size_t at;              // what is typed goes before this byte of it
};
void typed_set(struct typed *t, const char *text); // with the cursor at its end
// Up to the end of a line, and as much as there is room for.
void typed_insert(struct typed *t, const char *text);
// Does what a key does in a line: it types a character (or `pasted`), takes some out, or
// moves the cursor. False: it is another key.
bool typed_press(struct typed *t, int key, const char *pasted);
// In the pane's first row, behind a label: the part of it that the cursor is in; and
// behind it the ways out ("Enter opens · Esc shows all"), the last of which always has
// its place.
void pane_put_typed(struct pane p, const char *label, const struct typed *t,
                    const char *ways_out);

// ---- Visible keys ----

// A row of a screen's table of keys.
struct display_key {
  const char *name; // "q", "arrows"
  const char *word; // for the bar: "quit"; NULL: not there
  const char *help; // for the page of `?`
};
// The keys in one row, as many as there is room for: the first ones matter most, and q and "?"
// are always there.
void pane_put_keys(const struct pane *p, int row,
                   const struct display_key *keys, int count);
// A page of them all; help that is too long goes on in a further row.
void pane_put_help(struct pane p, const char *title,
                   const struct display_key *keys, int count);

#endif

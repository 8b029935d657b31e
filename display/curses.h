// SPDX-License-Identifier: Apache-2.0
// ncurses, found at run time, with declarations of our own: its header is not needed
// to build, and the program starts without the library.
#ifndef DISPLAY_CURSES_H
#define DISPLAY_CURSES_H

#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

#include "base/err.h"

// curses.h, A_*: the same since ncurses 5.
enum {
  DRAW_UNDERLINE = 1 << 17,
  DRAW_REVERSE = 1 << 18,
  DRAW_DIM = 1 << 20,
  DRAW_BOLD = 1 << 21,
};

struct curses {
#define CALL(result, name, arguments) result(*name) arguments;
#include "display/curses.def"
#undef CALL
  void **stdscr; // its variable
};

// ERR_NOT_FOUND: it is not there, or is too old.
enum err curses_load(struct curses *out, struct err_info *e);

#endif

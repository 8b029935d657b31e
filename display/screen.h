// SPDX-License-Identifier: Apache-2.0
// The open screen, as the files of this folder share it.
#ifndef DISPLAY_SCREEN_H
#define DISPLAY_SCREEN_H

#include <signal.h>
#include <termios.h>

#include "display/curses.h"
#include "display/display.h"
#include "display/keys.h"

struct display {
  struct curses curses;
  void *terminal; // ncurses' SCREEN
  FILE *out;
  int columns, rows;
  int pairs[ROLES]; // 0: no colour
  struct keys keys;
  sigset_t before;      // signals, as they were blocked
  struct termios modes; // of keys, while something runs
  bool has_modes;
  bool takes_clicks;
  bool is_late; // the wait for the rest of a key is over
};

// ---- restore.c: the terminal, whatever happens ----

// Notes the terminal's modes, catches every signal that would end the process and
// those that stop it.
void restore_begin(void);
// What makes the terminal leave the screen that now is on it; `terminal` is a file
// of the screen's own.
void restore_leave_with(int terminal, const char *leave);
// The process goes on without a screen: signals are as they were. Modes that were
// noted stay so where the screen comes back.
void restore_end(bool comes_back);
// Modes and picture, as they were found; also in a signal's handler.
void restore_now(void);
// A screen was closed that a prompt had opened: the prompt's modes are guarded again.
void restore_guard_again(void);
// What has come since the last call.
struct restore_news {
  bool is_resized, is_to_stop, has_come_back;
};
struct restore_news restore_take_news(void);
// The signals that are let in only while a key is waited for.
void restore_hold(sigset_t *before);

#endif

// SPDX-License-Identifier: Apache-2.0
// The debugger's screen, as the files that draw and run it share it.
#ifndef REPL_DEBUGGER_SCREEN_H
#define REPL_DEBUGGER_SCREEN_H

#include <lua.h>

#include "display/display.h"
#include "repl/debugger/picture.h"
#include "repl/debugger/session.h"

enum { MOST_BREAKS = 64, MOST_SHOWN = 4096, COMMANDS_KEPT = 50 };

struct debug_screen {
  struct debugging *debug;
  lua_State *L; // the stop's table is at index 1
  struct display *d;
  // What was asked of the back end since the launch moved; texts may be NULL.
  struct survey survey;
  struct lane_values lanes;
  char *lanes_by;  // an expression; NULL: by place
  char *lanes_why; // it has no value
  char *values;    // the watch list, then the thread's variables: a line each
  char *finding;   // the last one
  bool is_at_finding;
  struct {
    int number, line; // at the source's line; 0: in another file
  } breaks[MOST_BREAKS];
  int break_count;
  // Shared memory: the variable that is shown, and elements of it.
  char shared_name[64], shared_type[64];
  int shared_at, shared_count; // of variables
  unsigned long long element, elements;
  char (*cells)[CELL_BYTES];
  int cell_count, cells_shown;
  // The screen.
  enum panel chosen;
  struct {
    int row, column, columns; // of the last picture; 0 columns: not in it
  } lane_at[LANES];
  int cursor;              // a line of the source, from 1
  int values_at, warps_at; // what was moved down to
  char *message, *news; // news: what was printed when the launch went on last
  bool is_warning, is_running;
  // A page over everything: an answer of several lines, a finding, the keys.
  char *page;
  const char *page_title;
  int page_at, page_rows; // the first row that is shown; of the last picture
  bool is_page_key_unknown;
  // The command line.
  bool is_typing;
  struct typed line;
  char *typed[COMMANDS_KEPT];
  int typed_count, recalled;
  char last[32]; // the last command that went on: Enter does it again
  bool is_over;
};

// Until the person leaves. False: there is no screen here, and nothing was shown.
// Errors of Lua pass through once the terminal is as it was found.
bool debugger_screen(struct debugging *d, lua_State *L);

#endif

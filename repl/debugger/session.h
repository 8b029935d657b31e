// SPDX-License-Identifier: Apache-2.0
// One launch under the debugger, as the files of this room share it.
#ifndef REPL_DEBUGGER_SESSION_H
#define REPL_DEBUGGER_SESSION_H

#include <lua.h>
#include <stdbool.h>

#include "base/str.h"
#include "repl/shop.h"

enum { DEBUGGER_LINE = 1000, DEBUGGER_DISPLAYS = 16 };

struct debugging {
  struct shop *shop;
  char last[DEBUGGER_LINE]; // an empty line repeats it
  bool was_given_up;
  bool has_ended;
  bool is_on_screen; // which shows by itself where the launch stands
  int listed;        // the line behind the last that `list` showed
  char *
      displays[DEBUGGER_DISPLAYS]; // expressions that every stop shows, or NULL
};

#endif

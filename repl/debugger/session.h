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

// ---- stop.c: the stop's table, at index 1 of the Lua stack ----

const char *stop_field(lua_State *L, const char *name); // "": none
int stop_number(lua_State *L, const char *name);
bool stop_is(lua_State *L, const char *name);
void stop_add_triple(lua_State *L, const char *name, struct str *out);
// The number in its block of the thread in focus.
unsigned stop_thread(lua_State *L, const unsigned block[3]);

// ---- words.c ----

enum own_command {
  OWN_LIST,
  OWN_DISPLAY,
  OWN_UNDISPLAY,
  OWN_HELP,
  OWN_QUIT,
  OWNS
};
bool debugger_is_own(enum own_command row, const char *word);
void debugger_print_help(struct shop *s, const char *name);
// gdb's words become ours first. False: there is nothing to run, which was said.
bool debugger_translate(struct debugging *d, const char *line,
                        char out[DEBUGGER_LINE]);

// ---- text.c ----

// Asks the back end. False: it refused, and said why.
bool debugger_ask(struct debugging *d, lua_State *L, const char *line);
// The same without a word: what it answers, or NULL and (where `why` is not NULL)
// why not. The caller frees both.
char *debugger_query(lua_State *L, const char *line, char **why);
// The finding that the launch stopped at, in words; the caller frees it.
char *debugger_finding(lua_State *L);
void debugger_undisplay(struct debugging *d, const char *args);
// Runs one line as it was typed, and prints what it answers.
void debugger_do(struct debugging *d, lua_State *L, const char *line);
// The same as a function of Lua: [stop, debugging, line].
int debugger_do_protected(lua_State *L);
// Commands until the person leaves.
void debugger_prompt(struct debugging *d, lua_State *L);

#endif

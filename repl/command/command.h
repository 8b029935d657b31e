// SPDX-License-Identifier: Apache-2.0
// What the other rooms use of the commands.
#ifndef REPL_COMMAND_COMMAND_H
#define REPL_COMMAND_COMMAND_H

#include "base/nearest.h"
#include "repl/shop.h"
#include <lua.h>

// ---- command.c, command_*.c: one function a row of command.def ----

// Runs ":name args", "!line", "%name args", "?word" or "??word".
bool command_run(struct shop *s, const char *line);

const char *command_name(int i); // of row `i`; NULL past the last
// What stands behind the name in :help ("[EXERCISE]"), and what it does, of the
// command that `name` (of `bytes`) finds; NULL where there is none.
const char *command_args(const char *name, size_t bytes, const char **help);
bool lesson_list(struct shop *s);
// Pushes `expression` as a function of the chunk `name` ("=:map"), or nil, which stands
// for the last launch; or the error. A status of Lua's, or COMMAND_NO_LAUNCH: there was
// no launch yet, nothing is pushed, and it was said how one is given.
enum { COMMAND_NO_LAUNCH = -1 };
int command_push_launch(struct shop *s, const char *expression,
                        const char *name);

// ---- help.c, explain.c, glossary.c ----

bool help_show(struct shop *s, const char *name);
bool help_show_source(struct shop *s, const char *name);
// Pushes what "np.zeros" or "x" names; false (nothing pushed) for nil.
// Pushes the table name -> help text, read on first use.
void help_push_texts(lua_State *L);
// Pushes the table of pages of lua/codes.lua; false, with a sentence on stderr,
// when it cannot be read.
bool help_push_pages(lua_State *L);
bool help_push_named(struct shop *s, const char *name);
// The word of GPU computing `term`, or NULL: glossary.def.
const char *glossary_find(const char *term);
// The i-th of its words, or NULL behind the last.
const char *glossary_word(int i);
// Its words, for one that is nearly one of them.
void glossary_try(struct nearest *near);
// What :help says of the command `name`; false where there is none.
bool command_help_of(struct shop *s, const char *name);

#define CMD(name, alias, function, args, help)                                 \
  bool function(struct shop *s, const char *args_text);
#include "repl/command/command.def"
#undef CMD

// ---- command_check.c ----

void check_forget_judge(struct shop *s);
// Opens the exercise of that name; false, and nothing said, where there is none.
bool check_take(struct shop *s, const char *name);
// The starter of the exercise that is open, or NULL; the caller frees it.
char *check_starter(struct shop *s);
// Is a batch script asked for? Then what is edited and judged is the file
// <exercise>.sh in this folder.
bool check_is_script(const struct shop *s);
bool check_edit_script(struct shop *s);

// ---- device.c ----

// Prints the devices, the one in use marked.
bool device_list(struct shop *s);
// Prints which GPUs run what, with this version of NVRTC.
void device_families(struct shop *s, int nvrtc_major);

#endif

// SPDX-License-Identifier: Apache-2.0
// The program's one context, and what the files of repl/ do with it. Reading
// order: main.c (subcommands), prompt.c (reading), input.c (what was typed),
// eval.c (running it), command.c (":name"), lesson.c and player.c.
#ifndef REPL_SHOP_H
#define REPL_SHOP_H

#include <lua.h>
#include <stdbool.h>

#include "base/err.h"
#include "repl/eval/pieces.h"
#include "repl/lesson/journal.h"
#include "repl/lesson/lesson.h"
#include "repl/prompt/history.h"
#include "repl/tui/screen.h"

enum exit_code {
  EXIT_PASSED = 0,
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_MACHINE = 3,
};

struct shop {
  lua_State *L;
  const char *device; // --device, or NULL
  double deadline_s;  // --deadline; 0: none
  char **script_argv; // what `...` holds in a script
  int script_argc;
  struct screen screen;
  struct pieces pieces;
  char kernel[120]; // the last kernel that was bound, by a page's cell too
  char work[120];   // what the learner wrote last, whether it compiles or not
  bool work_compiles;
  bool has_no_drafts; // one could not be written, and that was said
  struct journal *journal;
  struct history history;
  struct lesson *lesson;            // NULL: none is open
  int lesson_number;                // its line in lessons/index, from 1
  int page;                         // from 0
  char exercise[64];                // what :check judges; "" for none
  int hints;                        // given so far
  const struct lesson_item *wanted; // what the page asks to be typed, or NULL
  bool has_reminded;                // of it: the next Enter goes on
  struct check *judge;              // opened by the first :check
  int entry;            // number of the Lua text that was typed last
  long launches;        // seen by the prompt, by cuda.last_launch().number
  bool is_prompt;       // as at the prompt: notes of launches, quoted strings
  bool is_quiet;        // pages before the one to resume at are replayed
  bool echoes;          // eval_lines shows each line before it runs
  bool hides_expected;  // an error is wanted, and nobody is to see it
  bool error_to_stdout; // an error is wanted: it is part of the lesson
  bool is_one_line;     // what runs was one line: its number says nothing
  bool wants_quit;
  bool is_playing;  // a page is on its way: who moves is moved after it
  char *after_page; // the command that does, or NULL
};

// ---- shop.c ----

// The registry's table of the globals that are there from the start.
#define SHOP_FIRST_GLOBALS "warpshop.first_globals"
bool shop_is_own_global(lua_State *L, const char *name); // a learner's
// Opens Lua with every table; prints why not and returns EXIT_MACHINE.
int shop_open_lua(struct shop *s);
void shop_close(struct shop *s);
// A sentence on standard error, led by "warpshop: ".
void shop_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// The one way to the screen for words: fitted to it (screen_fit), on standard
// output, a screen at a time; a line end is added where there is none.
void shop_print(struct shop *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// The same in a quieter style, for what is said beside a result.
void shop_note(struct shop *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// The same on standard error, for what went wrong.
void shop_warn(struct shop *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// Pushes the value of global `table`.`field`, or nil.
int shop_push_field(lua_State *L, const char *table, const char *field);

// ---- eval.c ----

// Runs Lua text, prints the values that it returns, and says what the last
// launch did. False after an error, which was shown. `chunk` names it as Lua
// does ("@file.lua"); NULL: it was typed, and is kept for ??name.
bool eval_lua(struct shop *s, const char *text, const char *chunk);
// The source lines of the Lua function at the top of the stack, or NULL when
// they are not known. The caller frees them.
char *eval_function_source(struct shop *s);
// Compiles CUDA C and binds each kernel to its name.
bool eval_cuda(struct shop *s, const char *text, const char *file);
// Calls the function on top of the stack (popped), as eval_lua does.
bool eval_call(struct shop *s);
// What was launched so far is not told of behind the next line.
void eval_forget_launches(struct shop *s);
// Keeps the text of a kernel for :edit, in the registry's table KERNEL_TEXTS.
#define KERNEL_TEXTS "warpshop.kernel_texts"
void eval_keep_kernel_text(struct shop *s, const char *name, const char *text);
// The text of a kernel, or NULL; the caller frees it. eval_kernel_source puts
// the helpers that were kept before it.
char *eval_kernel_text(struct shop *s, const char *name);
// The learner wrote this CUDA C (or began to): it becomes what :check and :edit
// mean, and is kept as a draft.
void eval_keep_work(struct shop *s, const char *text);
// What was written so far is none for the exercise that is set now.
void eval_forget_work(struct shop *s);
// Was kernel `name` written by the learner since then?
bool eval_is_work(struct shop *s, const char *name);
char *eval_kernel_source(struct shop *s, const char *name);
// Takes one line as the prompt does; true when it is unfinished. `*failed` is
// set when something went wrong.
struct input;
bool eval_line(struct shop *s, struct input *in, const char *line,
               bool *failed);
// The input ends: runs what is unfinished, which says what it lacks.
bool eval_end(struct shop *s, struct input *in);
// Runs text line group by line group, as if typed; stops at the first error.
bool eval_lines(struct shop *s, const char *text);

// ---- eval_error.c ----

// Shows the error value on top of the stack and pops it.
void eval_show_error(struct shop *s);
void eval_print_error(struct shop *s, const char *text);
// The error value of the last failure is kept for :explain and predictions;
// pushes it, or nil.
void eval_push_last_error(struct shop *s);

// ---- command.c, command_*.c: one function a row of command.def ----

// Runs ":name args", "!line", "%name args", "?word" or "??word".
bool command_run(struct shop *s, const char *line);

const char *command_name(int i); // of row `i`; NULL past the last
bool lesson_list(struct shop *s);

// ---- help.c, glossary.c ----

bool help_show(struct shop *s, const char *name);
bool help_show_source(struct shop *s, const char *name);
// Pushes what "np.zeros" or "x" names; false (nothing pushed) for nil.
// Pushes the table name -> help text, read on first use.
void help_push_texts(lua_State *L);
// Pushes the table of pages of lua/codes.lua; false, with a sentence on stderr,
// when it cannot be read.
struct nearest;
bool help_push_pages(lua_State *L);
bool help_push_named(struct shop *s, const char *name);
// The word of GPU computing `term`, or NULL: glossary.def.
const char *glossary_find(const char *term);
// Its words, for one that is nearly one of them.
void glossary_try(struct nearest *near);
// What :help says of the command `name`; false where there is none.
bool command_help_of(struct shop *s, const char *name);

#define CMD(name, alias, function, args, help)                                 \
  bool function(struct shop *s, const char *args_text);
#include "repl/command/command.def"
#undef CMD

// ---- command_debug.c ----

// The i-th command of the debugger's prompt that begins so, or NULL; the caller
// frees it.
char *command_debug_complete(const char *word, int i);
void command_debug_help(struct shop *s);

// ---- command_check.c ----

void check_forget_judge(struct shop *s);
// The starter of the exercise that is open, or NULL; the caller frees it.
char *check_starter(struct shop *s);

// ---- prompt.c ----

// Reads and runs until the person leaves; returns the exit code.
int prompt_run(struct shop *s);
// Asks for one line; NULL at the end of input. The caller frees it.
char *prompt_ask(const char *question);
// The same, where the first key was typed already.
char *prompt_ask_from(int key, const char *question);
// Waits for one key, which acts at once; the question is taken away again.
// Ctrl-C and Ctrl-D are 'q'.
int prompt_key(const char *question);
// Reads one line of a prompt inside a command, from a terminal or a pipe; NULL
// at the end of input, and when Ctrl-C cleared it. The caller frees it.
char *prompt_read(struct shop *s, const char *prompt, bool *cleared);
// The debugger's prompt has a history and a completion of its own.
void prompt_enter_debug(bool on);
// Ctrl-C stops what runs from here on; off: it clears the line again.
void prompt_catch_interrupts(bool is_running);
void prompt_catch_signals(void);
// The names that Tab completes, behind Readline's generator interface.
char **complete_line(struct shop *s, const char *line, int start, int end);
char *complete_breaks(void); // which characters end a name, where it stands
char **complete_debug(const char *line, int start, int end);

// ---- pager.c ----

// Prints text and its line end; on a terminal a screen at a time, with a
// question between them. False when the person stopped it.
bool pager_print(struct shop *s, const char *text);
#define PAGER_QUESTION "-- more -- (space goes on, q stops) "

// ---- player.c ----

// Plays the open lesson's page: prose, cells, questions. False when a cell
// failed.
bool player_show_page(struct shop *s);
// What was typed may be what the page asks for: says so, once.
void question_typed(struct shop *s);
// Opens lesson `number` (from 1) at `page` (from 0), running the pages before
// it silently. False and a sentence when there is none.
bool player_open(struct shop *s, int number, int page);
// Plays every lesson (or the one `number`), plain; the exit code.
int player_play_all(struct shop *s, int number);
// Runs every cell and reports; the exit code.
int player_test(struct shop *s, int number);

// ---- variables.c ----

// Around each cell of a lesson: what earlier cells of it set is put back, but
// kernels that the learner wrote stay.
void variables_before_cell(struct shop *s);
void variables_after_cell(struct shop *s);
void variables_forget(struct shop *s); // another lesson begins

// ---- run.c ----

// The deadline of `warpshop run` has passed: what stops now needs no error.
bool run_is_over(void);

// ---- device.c ----

// Prints the devices, the one in use marked.
bool device_list(struct shop *s);
// Prints which GPUs run what, with this version of NVRTC.
void device_families(struct shop *s, int nvrtc_major);

// ---- Subcommands: one function a row of subcommand.def ----

struct subcommand {
  const char *name, *args, *help;
  int (*run)(struct shop *s, int argc, char **argv);
};

#define SUB(name, function, args, help)                                        \
  int function(struct shop *s, int argc, char **argv);
#include "repl/subcommand.def"
#undef SUB

#endif

// SPDX-License-Identifier: Apache-2.0
// The program's one context, and what the files of repl/ do with it. Reading
// order: main.c (subcommands), prompt.c (reading), input.c (what was typed),
// eval.c (running it), command.c (":name"), lesson.c and player.c.
#ifndef REPL_SHOP_H
#define REPL_SHOP_H

#include <lua.h>
#include <stdbool.h>

#include "base/err.h"
#include "repl/tui/tui.h"

enum exit_code {
  EXIT_PASSED = 0,
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_MACHINE = 3,
};

// How what runs now runs and speaks: whoever changes it puts it back whole.
struct mode {
  bool is_prompt;       // as at the prompt: notes of launches, quoted strings
  bool is_quiet;        // pages before the one to resume at are replayed
  bool is_playing;      // a page is on its way: who moves is moved after it
  bool echoes;          // eval_lines shows each line before it runs
  bool hides_expected;  // an error is wanted, and nobody is to see it
  bool error_to_stdout; // an error is wanted: it is part of the lesson
  bool notes_to_stdout; // a page's cell runs: so are its notes and warnings
};

// What was typed of CUDA C and is kept for later kernels (eval/pieces.c).
struct piece {
  char *name; // what it declares: "square(int)", "struct body", "#include <x>";
              // "" of a comment
  char *text;
};

struct pieces {
  struct piece *list;
  int count;
};

struct shop {
  lua_State *L;
  const char *device; // --device, or NULL
  double deadline_s;  // --deadline; 0: none
  bool wants_plain;   // --plain; screen.is_plain is WARPSHOP_PLAIN's, too
  char **script_argv; // what `...` holds in a script
  int script_argc;
  struct screen screen;
  struct pieces pieces;
  char kernel[120]; // the last kernel that was bound, by a page's cell too
  char work[120];   // what the learner wrote last, whether it compiles or not
  bool work_compiles;
  bool has_no_drafts;   // one could not be written, and that was said
  bool has_no_attempts; // likewise
  struct journal *journal;
  struct {                 // exercise/seat.c
    struct event_log *log; // of the room that was joined; NULL: none
    char *room;            // its folder
    int64_t heard;         // bytes of what came back
    bool was_looked_for;
    double told_run_s;
    double looked_s; // for GPUs that are sick
    int told_sick;   // the server of a GPU that the room was told of
  } seat;
  struct lesson *lesson;            // NULL: none is open
  int lesson_number;                // as its file is named (lesson.h)
  int page;                         // from 0
  bool is_free;                     // it was left: the prompt is nobody's
  char exercise[64];                // what :check judges; "" for none
  bool has_just_passed;             // what was handed in last, never before
  int hints;                        // given so far
  const struct lesson_item *asked;  // the question that waits, or NULL
  const struct lesson_item *wanted; // what the page asks to be typed, or NULL
  int tries;                        // lines typed since it was asked
  bool has_reminded;                // of it: the next Enter goes on
  struct check *judge;              // opened by the first :check
  int entry;     // number of the Lua text that was typed last
  long launches; // seen by the prompt, by cuda.last_launch().number
  struct mode mode;
  bool is_one_line; // what runs was one line: its number says nothing
  bool wants_quit;
  struct workbook *workbook; // NULL: it was not opened
  char *after_page; // the command that moves on after the page, or NULL
  // Runs a line that is a command; the rooms below command/ have it from here.
  bool (*run_command)(struct shop *s, const char *line);
};

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

// SPDX-License-Identifier: Apache-2.0
// What the other rooms use of what is typed: running it, Lua, errors, drafts.
#ifndef REPL_EVAL_EVAL_H
#define REPL_EVAL_EVAL_H

#include "repl/edit/edit.h"
#include "repl/shop.h"
#include <lua.h>

// ---- state.c ----

bool shop_is_own_global(lua_State *L, const char *name); // a learner's
// The tables with functions for learners: "np" ..., ended by NULL.
extern const char *const shop_modules[];
// Opens Lua with every table; prints why not and returns EXIT_MACHINE.
int shop_open_lua(struct shop *s);
// Pushes the value of global `table`.`field`, or nil.
int shop_push_field(lua_State *L, const char *table, const char *field);

// ---- What is typed, line by line: input.c ----

struct input {
  struct str text;
  bool is_cuda;
  int empty_lines; // in a row, at the end
  int lines;
  struct edit_scan scan; // of a long text, as far as it was scanned
};
void input_init(struct input *in);
void input_clear(struct input *in);
void input_free(struct input *in);
// Does a line start CUDA C?
bool input_starts_cuda(const char *line);
// Could these lines run as they are, one after another? Runs nothing. Where not,
// `*empty_lines` are at the end of unfinished CUDA C.
bool input_is_whole(lua_State *L, const char *text, int *empty_lines);

// ---- eval.c ----

// Runs Lua text, prints the values that it returns, and says what the last
// launch did. False after an error, which was shown. `chunk` names it as Lua
// does ("@file.lua"); NULL: it was typed, and is kept for ??name.
bool eval_lua(struct shop *s, const char *text, const char *chunk);
// The source lines of the Lua function at the top of the stack, or NULL when
// they are not known. The caller frees them.
char *eval_function_source(struct shop *s);
// Calls the function on top of the stack (popped), as eval_lua does.
bool eval_call(struct shop *s);
// Has something failed that was left running? Then the error is on top of the stack,
// for eval_show_error.
bool eval_has_left_failure(struct shop *s);
// Takes one line as the prompt does; true when it is unfinished. `*failed` is
// set when something went wrong.
bool eval_line(struct shop *s, struct input *in, const char *line,
               bool *failed);
// The input ends: runs what is unfinished, which says what it lacks.
bool eval_end(struct shop *s, struct input *in);
// Runs text line group by line group, as if typed; stops at the first error.
bool eval_lines(struct shop *s, const char *text);

// ---- eval_cuda.c ----

// Compiles CUDA C that was typed and binds each kernel to its name. It is kept as
// the learner's work before the compiler sees it. A helper that compiles is no
// work of its own: the kernel before it still is.
bool eval_typed_cuda(struct shop *s, void *text);
// The same of what :edit changed, under the name of a file.
bool eval_edited_cuda(struct shop *s, const char *text, const char *file);
// The same of a file, which is kept once it runs and has a kernel.
bool eval_loaded_cuda(struct shop *s, const char *text, const char *file);
// The text of a kernel, or NULL; the caller frees it.
char *eval_kernel_text(struct shop *s, const char *name);
// The learner wrote this CUDA C (or began to): it becomes what :check and :edit
// mean, and is kept as a draft.
void eval_keep_work(struct shop *s, const char *text);
// What was written so far is none for the exercise that is set now.
void eval_forget_work(struct shop *s);
// Was kernel `name` written by the learner since then?
bool eval_is_work(struct shop *s, const char *name);
// What the learner wrote last, behind the helpers that were kept, and then those
// of the kernels named here that were written in other texts. NULL: nothing yet.
char *eval_work_source(struct shop *s, char *const *kernels, int count);

// ---- eval_error.c ----

// Shows the error value on top of the stack and pops it.
void eval_show_error(struct shop *s);
void eval_print_error(struct shop *s, const char *text);
// The error value of the last failure is kept for :explain and predictions;
// pushes it, or nil.
void eval_push_last_error(struct shop *s);

// ---- race.c ----

// [diagnostic] Keeps the table where it is of a race between two threads: kind, file,
// cell, line, block, thread ... and other, as lua/bind/cuda makes them.
void eval_keep_race(struct shop *s);
// Pushes the last one that was kept, or nil.
void eval_push_last_race(struct shop *s);

// ---- variables.c ----

// Around each cell of a lesson: what earlier cells of it set is put back, but
// kernels that the learner wrote stay.
void variables_before_cell(struct shop *s);
void variables_after_cell(struct shop *s);
void variables_forget(struct shop *s); // another lesson begins

// ---- values.c ----

// Keeps its argument, which the prompt prints, as `_`, `_1` ...; protected.
int values_keep(lua_State *L);
// Is it such a name?
bool values_is_name(const char *name);

// ---- deadline.c ----

// A script is stopped when `seconds` have passed (0: never), again every second,
// and after a while for good.
void deadline_start(double seconds);
// It has passed: what stops now needs no error.
bool deadline_is_over(void);

// ---- draft.c ----

enum draft_kind { DRAFT_KERNEL, DRAFT_EXERCISE };
// The draft of that name, or NULL; the caller frees it.
char *draft_read(enum draft_kind kind, const char *name);
// Puts a draft aside as NAME.cu.old. Returns that path, or NULL where there was
// none; the caller frees it.
char *draft_set_aside(enum draft_kind kind, const char *name);

// ---- capture.c: what is printed, held back to be shown later ----

struct capture {
  int file, out, err; // the text so far; the streams as they were
};
// False where it cannot be done: what is printed is seen at once.
bool capture_begin(struct capture *c);
// The streams are as they were; returns what was printed. The caller frees it.
char *capture_end(struct capture *c);

// ---- wrong_name.c, pieces.c ----

// What to write for a name that people bring along ("numpy", "torch"), or NULL.
const char *wrong_name_known(const char *name);
void pieces_free(struct pieces *p);

// Devices on nodes of a cluster.
extern const struct bind_far eval_far;

#endif

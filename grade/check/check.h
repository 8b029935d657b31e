// SPDX-License-Identifier: Apache-2.0
// The judge for a prompt: text in, a page to show out. What an exercise says (its task,
// hints, editorial) comes in the reader's language.
#ifndef GRADE_CHECK_CHECK_H
#define GRADE_CHECK_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "grade/verdict/verdict.h"

struct check; // keeps compile worker and device server warm between checks

struct check_options {
  const char *gpu; // "cuda:0": runs there, too; NULL: no
  // Has the user asked to stop (Ctrl-C)? May be NULL.
  bool (*is_cancelled)(void *context);
  void *context;
};

enum err check_open(const struct check_options *options, struct check **out,
                    struct err_info *e);
void check_close(struct check *c);

// Judges a text. On ERR_OK the verdict is the caller's, to be freed with
// verdict_free, and the page (to be freed) is what to show. ERR_NOT_FOUND and
// ERR_ARGUMENT speak of the exercise.
struct check_text {
  const char *exercise, *name, *text; // handed in for it, as the file `name`
};
enum err check_run(struct check *c, const struct check_text *t,
                   struct verdict **out, char **page, struct err_info *e);

// Hint `i` (from 0) of an exercise and how many there are; NULL behind the
// last one or when there is no such exercise (then `e` says so and `*count` is
// 0). The caller frees it.
char *check_hint(const char *exercise, int i, int *count, struct err_info *e);

// What its solution costs and what comes next; NULL: nothing is said. The caller
// frees it.
char *check_editorial(const char *exercise);

// What an exercise asks for: check_about_free frees it.
struct check_about {
  char *title;
  char *task;
  char *signature; // "__global__ void add(...)", a line for each kernel
  char *kernel;    // "add": the first one, or the function
  char **kernels;  // all of them
  int kernel_count;
  char *code; // the starter's, where the task is about it; NULL: it is not
  int minutes;
  char *hardware;        // that it needs, in words; NULL: any
  bool needs_gpu;        // a real one
  bool is_lua;           // a function in Lua is asked for, not a kernel
  bool is_script;        // a batch script is
  const char *extension; // of an answer's file: ".cu"
  bool is_locked; // its course shows the solution to who has passed alone
};
enum err check_about(const char *exercise, struct check_about *out,
                     struct err_info *e);
void check_about_free(struct check_about *about);

// The starter and the solution of an exercise; the caller frees them.
enum err check_texts(const char *exercise, char **starter, char **solution,
                     struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// The subcommands of grade/, called by repl/main.c. argv[0] is the
// subcommand's name; the result is the exit code. These alone print.
#ifndef GRADE_COMMAND_H
#define GRADE_COMMAND_H

#include "base/str.h"

// What is known of a learner's work on an exercise, for the list: adds it, or
// nothing.
struct exercise_note {
  void (*add)(void *context, const char *name, struct str *out);
  void *context;
};

int grade_main(int argc, char **argv);
int exercise_main(int argc, char **argv, const struct exercise_note *note);

#endif

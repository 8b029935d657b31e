// SPDX-License-Identifier: Apache-2.0
// The subcommands that grade/ implements.
#include <stdlib.h>

#include "base/mem.h"
#include "grade/command.h"
#include "repl/lesson/progress.h"
#include "repl/subcommand.h"

// main.c took --device out; grade/ reads its own options.
static int pass_on(struct shop *s, int argc, char **argv,
                   int (*command)(int argc, char **argv)) {
  char **all = xcalloc((size_t)argc + 3, sizeof *all), *device = NULL;
  for (int i = 0; i < argc; i++)
    all[i] = argv[i];
  if (s->device)
    all[argc++] = device = xasprintf("--device=%s", s->device);
  int code = command(argc, all);
  free(device);
  free(all);
  return code;
}

int sub_grade(struct shop *s, int argc, char **argv) {
  return pass_on(s, argc, argv, grade_main);
}

static void add_progress(void *context, const char *name, struct str *out) {
  struct exercise_progress p = progress_of(context, name);
  progress_add_text(&p, out);
}

// Runs exercise_main with what the journal knows, where there is one.
static int exercises(int argc, char **argv) {
  struct journal *j = NULL;
  struct err_info e;
  journal_open(NULL, &j, &e);
  struct exercise_note note = {add_progress, j};
  int code = exercise_main(argc, argv, &note);
  journal_close(j);
  return code;
}

int sub_exercise(struct shop *s, int argc, char **argv) {
  return pass_on(s, argc, argv, exercises);
}

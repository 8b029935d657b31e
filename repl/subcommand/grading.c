// SPDX-License-Identifier: Apache-2.0
// The subcommands that grade/ implements.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/command.h"
#include "repl/lesson/progress.h"
#include "repl/subcommand.h"

// Of what grade/ does, listing, starting and making an exercise need no device.
static bool takes_device(int argc, char **argv) {
  return strcmp(argv[0], "exercise") != 0 ||
         (argc > 1 && !strcmp(argv[1], "test"));
}

// main.c took --device out; grade/ reads its own options. In front, where an
// option that lacks its value does not take it for one.
static int pass_on(struct shop *s, int argc, char **argv,
                   int (*command)(int argc, char **argv)) {
  char **all = xcalloc((size_t)argc + 3, sizeof *all), *device = NULL;
  int n = 0, first = !strcmp(argv[0], "exercise") ? 2 : 1;
  for (int i = 0; i <= argc; i++) {
    if (i == first && s->device && takes_device(argc, argv))
      all[n++] = device = xasprintf("--device=%s", s->device);
    if (i < argc)
      all[n++] = argv[i];
  }
  int code = command(n, all);
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

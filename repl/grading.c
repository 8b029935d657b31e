// SPDX-License-Identifier: Apache-2.0
// The subcommands that grade/ implements.
#include <stdlib.h>

#include "base/mem.h"
#include "grade/command.h"
#include "repl/shop.h"

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

int sub_exercise(struct shop *s, int argc, char **argv) {
  return pass_on(s, argc, argv, exercise_main);
}

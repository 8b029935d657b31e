// SPDX-License-Identifier: Apache-2.0
// The subcommands grade, exercise and exercism.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "class/class.h"
#include "grade/prove/prove.h"
#include "grade/subcommand/subcommand.h"
#include "repl/exercise/exercise.h"
#include "repl/progress/progress.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"

static bool is_proof(const char *word) {
  return !strcmp(word, "test") || !strcmp(word, "prove");
}

// Of what grade/ does, listing, starting and making an exercise need no device.
static bool takes_device(int argc, char **argv) {
  return strcmp(argv[0], "exercise") != 0 || (argc > 1 && is_proof(argv[1]));
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

int sub_exercism(struct shop *s, int argc, char **argv) {
  (void)s;
  return exercism_main(argc, argv);
}

int sub_class(struct shop *s, int argc, char **argv) {
  (void)s;
  return class_main(argc, argv);
}

// ---- A learner's exercises ----

static int say_usage(const char *usage) {
  shop_say("usage: warpshop exercise %s", usage);
  return EXIT_USAGE;
}

static int list(struct shop *s, int argc, char **argv) {
  (void)argv;
  if (argc)
    return say_usage("list");
  return exercises_list(s) ? EXIT_PASSED : EXIT_MACHINE;
}

static int next(struct shop *s, int argc, char **argv) {
  struct check_about about;
  struct err_info e = {0};
  (void)argv;
  if (argc)
    return say_usage("next");
  char *name = exercises_next(s->journal, NULL);
  int code = EXIT_PASSED;
  if (!name) {
    exercises_print_end(s, NULL);
  } else if (check_about(name, &about, &e)) {
    shop_say("%s", e.text);
    code = EXIT_USAGE;
  } else {
    exercises_print_task(s, name, &about);
    shop_print(s, "  warpshop watch %s begins it\n", name);
    check_about_free(&about);
  }
  free(name);
  return code;
}

static int solution(struct shop *s, int argc, char **argv) {
  if (argc != 1)
    return say_usage("solution NAME");
  return exercises_show_solution(s, argv[0], true) ? EXIT_PASSED : EXIT_USAGE;
}

static int prove(int argc, char **argv) {
  return prove_main(argc - 1, argv + 1);
}

// What grade/ does not do itself, for it knows of no progress.
int sub_exercise(struct shop *s, int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(struct shop *s, int argc, char **argv);
  } own[] = {{"list", list}, {"next", next}, {"solution", solution}};
  struct err_info e;
  for (int i = 2; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return exercise_main(argc, argv);
  for (size_t i = 0; argc > 1 && i < sizeof own / sizeof *own; i++) {
    if (strcmp(argv[1], own[i].name) != 0)
      continue;
    if (journal_open(NULL, &s->journal, &e))
      shop_say("progress is not kept: %s", e.text);
    return own[i].run(s, argc - 2, argv + 2);
  }
  return pass_on(s, argc, argv,
                 argc > 1 && is_proof(argv[1]) ? prove : exercise_main);
}

// SPDX-License-Identifier: Apache-2.0
// warpshop exercise start / new / autograder; prove/ has test and prove,
// repl/subcommand/grading.c what speaks of a learner's progress: list / next /
// solution.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/command.h"
#include "grade/course/course.h"
#include "grade/exercise/exercise.h"
#include "grade/input/input.h"
#include "grade/subcommand/autograder.h"
#include "grade/subcommand/subcommand.h"

static const char synopsis[] =
    "warpshop exercise list\n"
    "       warpshop exercise next\n"
    "       warpshop exercise start NAME [FILE] [--force]\n"
    "       warpshop exercise solution NAME\n"
    "       warpshop exercise test | prove [NAME...|COURSE]\n"
    "       warpshop exercise new NAME [--kind cuda|launches|lua|host|batch]\n"
    "       warpshop exercise autograder NAME DIR\n";

static const char help[] =
    "list      the exercises, and what you have done of them\n"
    "next      which one comes next, in the order of learning\n"
    "start     writes the beginning of an answer into FILE, else into NAME.cu "
    "(.lua)\n"
    "solution  shows it: after you have passed, or on request, which is kept "
    "in mind\n"
    "test      does an exercise judge rightly? (without a name: all do)\n"
    "prove     the same of all edits of its solution; what its cases execute\n"
    "new       an exercise of your own to begin with, in the course where you "
    "are\n"
    "autograder  a folder that, zipped, is an autograder for Gradescope\n";

static int usage(void) {
  fprintf(stderr, "usage: %s", synopsis);
  return EXIT_WRONG_USAGE;
}

// ---- start ----

// `name` is the exercise as it was asked for, which may be a folder's path.
static int write_starter(const struct exercise *ex, const char *name,
                         const char *path, bool force) {
  struct err_info e;
  if (!force && !access(path, F_OK)) {
    char *text = xasprintf("%s is there already and was left as it is; --force "
                           "replaces it, another FILE keeps both",
                           path);
    command_say(0, text);
    free(text);
    return 1;
  }
  if (file_write(path, ex->starter, strlen(ex->starter), 0644, &e))
    return command_say(EXIT_NO_MACHINE, e.text);
  char *hardware = exercise_hardware_text(ex);
  printf("%s: %s\n%s\n", ex->title, ex->task, ex->signature);
  if (hardware)
    printf("needs %s; elsewhere it is not judged\n", hardware);
  free(hardware);
  printf("wrote %s; edit it, then: warpshop grade %s %s\n", path, name, path);
  printf("judged at each save: warpshop watch %s %s\n", name, path);
  return 0;
}

static int start(int argc, char **argv) {
  bool force = false;
  const char *names[2] = {NULL, NULL};
  int count = 0;
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--force"))
      force = true;
    else if (argv[i][0] == '-' || count == 2)
      return usage();
    else
      names[count++] = argv[i];
  }
  if (!count)
    return usage();
  struct exercise *ex;
  struct err_info e;
  if (exercise_load(names[0], &ex, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  char *own = xasprintf("%s%s", ex->name, exercise_extension(ex->kind));
  int code = write_starter(ex, names[0], names[1] ? names[1] : own, force);
  free(own);
  exercise_free(ex);
  return code;
}

// ---- new ----

static int new_one(int argc, char **argv) {
  const char *name = NULL, *kind = "cuda";
  struct err_info e;
  char *said;
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--kind") && i + 1 < argc)
      kind = argv[++i];
    else if (str_starts(argv[i], "--kind="))
      kind = argv[i] + strlen("--kind=");
    else if (argv[i][0] == '-' || name)
      return usage();
    else
      name = argv[i];
  }
  if (!name)
    return usage();
  enum err err = scaffold_exercise(name, kind, &said, &e);
  int code = err == ERR_ARGUMENT ? EXIT_WRONG_USAGE : EXIT_NO_MACHINE;
  if (err)
    command_say(code, e.text);
  else
    fputs(said, stdout);
  free(said);
  return err ? code : 0;
}

// ---- autograder ----

static int make_autograder(int argc, char **argv) {
  struct exercise *ex;
  struct err_info e;
  char *said;
  if (argc != 2 || argv[0][0] == '-' || argv[1][0] == '-')
    return usage();
  if (exercise_load(argv[0], &ex, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  struct autograder a = {.exercise = ex->name,
                         .folder = ex->folder,
                         .private_folder = ex->private_folder,
                         .ending = exercise_extension(ex->kind) + 1,
                         .into = argv[1]};
  enum err err = autograder_make(&a, &said, &e);
  exercise_free(ex);
  if (err)
    return command_say(err == ERR_ARGUMENT ? EXIT_WRONG_USAGE : EXIT_NO_MACHINE,
                       e.text);
  fputs(said, stdout);
  free(said);
  return 0;
}

static bool wants_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return true;
  return false;
}

int exercise_main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
  } commands[] = {
      {"start", start}, {"new", new_one}, {"autograder", make_autograder}};
  if (wants_help(argc, argv)) {
    printf("usage: %s%s", synopsis, help);
    return 0;
  }
  for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(argv[1], commands[i].name))
      return commands[i].run(argc - 2, argv + 2);
  if (argc > 1)
    fprintf(stderr, "warpshop: there is no \"exercise %s\"\n", argv[1]);
  return usage();
}

// SPDX-License-Identifier: Apache-2.0
// warpshop exercise start / new; prove/ has test and prove,
// repl/subcommand/grading.c what speaks of a learner's progress: list / next /
// solution.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/command.h"
#include "grade/exercise.h"
#include "grade/text.h"

static const char synopsis[] =
    "warpshop exercise list\n"
    "       warpshop exercise next\n"
    "       warpshop exercise start NAME [FILE] [--force]\n"
    "       warpshop exercise solution NAME\n"
    "       warpshop exercise test | prove [NAME...]\n"
    "       warpshop exercise new NAME\n";

static const char help[] =
    "list      the exercises, and what you have done of them\n"
    "next      which one comes next, in the order of learning\n"
    "start     writes the beginning of an answer into FILE, else into NAME.cu "
    "(.lua)\n"
    "solution  shows it: after you have passed, or on request, which is kept "
    "in mind\n"
    "test      does an exercise judge rightly? (without a name: all do)\n"
    "prove     the same of all edits of its solution; what its cases execute\n"
    "new       a folder with an exercise of your own to begin with\n";

enum { EXIT_WRONG_USAGE = 2, EXIT_NO_MACHINE = 3 };

static int say(int code, const char *text) {
  char *clean = text_clean(text, strlen(text), 2000, 1);
  fprintf(stderr, "warpshop: %s\n", clean);
  free(clean);
  return code;
}

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
    say(0, text);
    free(text);
    return 1;
  }
  if (file_write(path, ex->starter, strlen(ex->starter), 0644, &e))
    return say(EXIT_NO_MACHINE, e.text);
  printf("%s: %s\n%s\n", ex->title, ex->task, ex->signature);
  printf("wrote %s; edit it, then: warpshop grade %s %s\n", path, name, path);
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
    return say(EXIT_WRONG_USAGE, e.text);
  char *own =
      xasprintf("%s.%s", ex->name, ex->kind == EXERCISE_LUA ? "lua" : "cu");
  int code = write_starter(ex, names[0], names[1] ? names[1] : own, force);
  free(own);
  exercise_free(ex);
  return code;
}

// ---- new ----

static int write_part(const char *folder, const char *name, const char *text) {
  struct err_info e;
  char *path = xasprintf("%s/%s", folder, name);
  enum err err = file_write(path, text, strlen(text), 0644, &e);
  free(path);
  return err ? say(EXIT_NO_MACHINE, e.text) : 0;
}

// Copies the model folder, which `exercise test` proves like any other.
static int copy_part(const char *folder, const char *name) {
  char *relative = xasprintf("exercises/skeleton/%s", name);
  char *path = file_own(relative), *text = NULL;
  size_t bytes;
  struct err_info e;
  int code = 0;
  if (!path)
    code = say(EXIT_NO_MACHINE, "exercises/skeleton is not installed");
  else if (file_read(path, 1 << 20, &text, &bytes, &e))
    code = say(EXIT_NO_MACHINE, e.text);
  if (!code)
    code = write_part(folder, name, text);
  free(text);
  free(path);
  free(relative);
  return code;
}

static bool is_plain_name(const char *name) {
  for (const char *p = name; *p; p++)
    if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '-')
      return false;
  return *name && *name != '-';
}

static int new_one(int argc, char **argv) {
  if (argc != 1)
    return usage();
  const char *name = argv[0];
  if (!is_plain_name(name))
    return say(EXIT_WRONG_USAGE,
               "an exercise is named with small letters, digits and -");
  if (mkdir(name, 0755)) {
    char *text =
        xasprintf("cannot make the folder %s: %s", name, strerror(errno));
    int code = say(errno == EEXIST ? EXIT_WRONG_USAGE : EXIT_NO_MACHINE, text);
    free(text);
    return code;
  }
  int code = copy_part(name, "exercise.lua");
  if (!code)
    code = copy_part(name, "solution.cu");
  if (!code)
    printf("made %s/exercise.lua and %s/solution.cu; change them, then: "
           "warpshop exercise test ./%s\n",
           name, name, name);
  return code;
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
  } commands[] = {{"start", start}, {"new", new_one}};
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

// SPDX-License-Identifier: Apache-2.0
// The subcommand course: which there are, and whether one is as it should be.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/course/course.h"
#include "grade/publish/publish.h"
#include "grade/subcommand/subcommand.h"
#include "repl/lesson/lesson.h"
#include "repl/shop.h"
#include "repl/subcommand/course.h"
#include "repl/tui/tui.h"

static int list(struct shop *s) {
  struct course_list all;
  struct str notes = STR_INIT;
  course_list_load(&all, &notes);
  for (int i = 0; i < all.count; i++) {
    const struct course *c = all.at[i];
    shop_print(s, "%-16s %s, version %s%s\n                 %s", c->name,
               c->title, c->version, i ? "" : " (in use)", c->folder);
  }
  if (notes.len)
    shop_say("%.*s", (int)notes.len - 1, notes.data);
  int code = notes.len ? EXIT_USAGE : EXIT_PASSED;
  course_list_free(&all);
  str_free(&notes);
  return code;
}

// Its lessons, then its exercises.
static int test(struct shop *s) {
  char *argv[4] = {(char *)"exercise", (char *)"test"};
  const struct lesson_test all = {0};
  int lessons = lesson_test(s, &all);
  if (lessons == EXIT_MACHINE)
    return lessons;
  int exercises = sub_exercise(s, 2, argv);
  return exercises > lessons ? exercises : lessons;
}

// Makes a course or a lesson by its one argument.
static int make(int argc, char **argv, const char *usage,
                enum err (*scaffold)(const char *name, char **said,
                                     struct err_info *e)) {
  struct err_info e = {0};
  char *said = NULL;
  if (argc != 3) {
    shop_say("%s", usage);
    return EXIT_USAGE;
  }
  enum err err = scaffold(argv[2], &said, &e);
  if (err)
    shop_say("%s", e.text);
  else
    fputs(said, stdout);
  free(said);
  return !err ? EXIT_PASSED : err == ERR_ARGUMENT ? EXIT_USAGE : EXIT_MACHINE;
}

int lesson_new(int argc, char **argv) {
  return make(argc, argv, "usage: warpshop lesson new NAME", scaffold_lesson);
}

static int publish(int argc, char **argv) {
  struct err_info e = {0};
  struct course *c = NULL;
  char *said = NULL;
  if (argc != 4) {
    shop_say("usage: warpshop course publish COURSE INTO");
    return EXIT_USAGE;
  }
  enum err err = course_use(argv[2], &e);
  err = err ? err : course_in_use(&c, &e);
  err = err ? err : publish_course(c->folder, argv[3], &said, &e);
  if (err)
    shop_say("%s", e.text);
  else
    fputs(said, stdout);
  free(said);
  course_free(c);
  return !err                                      ? EXIT_PASSED
         : err == ERR_DEVICE_LOST || err == ERR_IO ? EXIT_MACHINE
                                                   : EXIT_USAGE;
}

int sub_course(struct shop *s, int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "list";
  struct err_info e = {0};
  if (!strcmp(what, "list") && argc <= 2)
    return list(s);
  if (!strcmp(what, "new"))
    return make(argc, argv, "usage: warpshop course new DIR", scaffold_course);
  if (!strcmp(what, "publish"))
    return publish(argc, argv);
  if (strcmp(what, "test") || argc > 3) {
    shop_say("usage: warpshop course list | new DIR | test [COURSE] | publish "
             "COURSE INTO");
    return EXIT_USAGE;
  }
  if (argc == 3 && course_use(argv[2], &e)) {
    shop_say("%s", e.text);
    return EXIT_USAGE;
  }
  return test(s);
}

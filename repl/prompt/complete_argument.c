// SPDX-License-Identifier: Apache-2.0
// Tab behind a command: exercises, lessons, devices, files, words, by the very
// text that :help shows of its arguments.
#include "repl/prompt/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/course/course.h"
#include "repl/command/command.h"
#include "repl/lesson/lesson.h"

static void add(struct complete_matches *m, const char *word,
                const char *text) {
  if (str_starts(text, word))
    complete_add(m, xstrdup(text));
}

static void add_exercises(const char *word, struct complete_matches *m) {
  struct course *c;
  struct err_info e;
  char **names;
  int count;
  if (course_in_use(&c, &e))
    return;
  if (!course_index(c, "exercises", &names, &count, &e)) {
    for (int i = 0; i < count; i++)
      add(m, word, names[i]);
    file_names_free(names, count);
  }
  course_free(c);
}

static void add_lessons(const char *word, struct complete_matches *m) {
  struct lesson_index index;
  struct err_info e;
  char number[24];
  if (lesson_index_load(&index, &e))
    return;
  for (int i = 0; i < index.count; i++) {
    snprintf(number, sizeof number, "%d", lesson_number_at(&index, i));
    add(m, word, number);
  }
  lesson_index_free(&index);
}

static void add_commands(const char *word, struct complete_matches *m) {
  for (int i = 0; command_name(i); i++)
    add(m, word, command_name(i));
}

// The words that stand there as they are typed: "[NAME|next]", "[lesson]".
static void add_words(const char *args, const char *word,
                      struct complete_matches *m) {
  while (*args) {
    size_t n = strspn(args, "abcdefghijklmnopqrstuvwxyz");
    if (n > 1) {
      char *one = xstrndup(args, n);
      add(m, word, one);
      free(one);
    }
    args += n + (args[n] != 0);
  }
}

// The unit of "[EXERCISE] [N M]" that is about word `place`; the last one goes on.
static char *unit_of(const char *args, int place) {
  size_t n = strcspn(args, " ");
  for (; place > 0 && args[n]; place--) {
    args += n + 1;
    n = strcspn(args, " ");
  }
  return xstrndup(args, n);
}

enum complete_kind complete_argument(const char *args, int place,
                                     const char *word,
                                     struct complete_matches *m) {
  static const char *const of_lua[] = {"EXPRESSION", "LAUNCH", "KERNEL",
                                       "ARRAY", "F"};
  char *unit = unit_of(args, place);
  bool is_file = strstr(unit, "FILE");
  if (!is_file)
    add_words(unit, word, m);
  if (strstr(unit, "EXERCISE") || strstr(unit, "NAME|next"))
    add_exercises(word, m);
  else if (!strcmp(args, "[N]"))
    add_lessons(word, m);
  else if (!strcmp(args, "[NAME]"))
    add_commands(word, m);
  else if (!strcmp(args, "[ID]")) {
    add(m, word, "cuda:0");
    add(m, word, "virtual:0");
  }
  bool is_lua = !strcmp(args, "[NAME]"); // what help is there of
  for (size_t i = 0; i < sizeof of_lua / sizeof *of_lua; i++)
    is_lua |= !is_file && strstr(unit, of_lua[i]) == unit + (*unit == '[');
  free(unit);
  return is_file ? COMPLETE_FILE : is_lua ? COMPLETE_LUA : COMPLETE_DONE;
}

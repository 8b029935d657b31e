// SPDX-License-Identifier: Apache-2.0
// The subcommands learn, repl and lesson.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "grade/course/course.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/lesson/lesson.h"
#include "repl/progress/progress.h"
#include "repl/prompt/prompt.h"
#include "repl/shop.h"
#include "repl/subcommand/course.h"
#include "repl/tui/tui.h"
#include "repl/workbook/workbook.h"

static void open_journal(struct shop *s) {
  struct err_info e;
  if (journal_open(NULL, &s->journal, &e))
    shop_say("progress is not kept: %s", e.text);
}

// The courses beside the one in use, for who has a place for more.
static void greet_courses(struct shop *s) {
  struct course_list list;
  struct str notes = STR_INIT;
  if (!getenv("WARPSHOP_COURSES"))
    return;
  course_list_load(&list, &notes);
  for (int i = 1; i < list.count; i++)
    shop_note(s, "warpshop learn %s: %s", list.at[i]->name,
              message(list.at[i]->title));
  if (notes.len)
    shop_say("%.*s", (int)notes.len - 1, notes.data);
  course_list_free(&list);
  str_free(&notes);
}

static void greet(struct shop *s) {
  const char *device = bind_device_id(s->L);
  shop_print(s, "warpshop %s · %s · :help lists everything", WARPSHOP_VERSION,
             device);
  fflush(stdout);
}

int sub_repl(struct shop *s, int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    shop_say("usage: warpshop repl");
    return EXIT_USAGE;
  }
  if (s->screen.is_terminal)
    transcript_begin();
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  open_journal(s);
  terminal_catch_signals();
  if (s->screen.is_terminal)
    greet(s);
  return prompt_run(s, NULL);
}

// ---- learn ----

// The number of the lesson of that file; *first gets that of the first lesson.
static int lesson_named(const char *name, int *first) {
  struct lesson_index index;
  int number = 0;
  *first = 1;
  if (lesson_index_load(&index, NULL))
    return 0;
  for (int i = 0; i < index.count; i++) {
    const char *slash = strrchr(index.paths[i], '/');
    if (!strcmp(slash + 1, name))
      number = lesson_number_at(&index, i);
  }
  if (index.count)
    *first = lesson_number_at(&index, 0);
  lesson_index_free(&index);
  return number;
}

// The lesson and page that was left, or the first.
static void find_place(struct shop *s, int wanted, int *number, int *page) {
  char last[256];
  journal_last_lesson(s->journal, last, sizeof last);
  int first, left = lesson_named(last, &first);
  *number = wanted ? wanted : left ? left : first;
  *page = left && *number == left ? journal_page(s->journal, last) - 1 : 0;
  if (*page < 0)
    *page = 0;
}

static void show_first_page(struct shop *s) {
  player_show_page(s);
  shop_note(s, "Enter goes on; this prompt is live, try things");
}

// A lesson that was asked for is opened; else the contents show where to go on.
static void open_workbook(struct shop *s) {
  int number, page;
  if (workbook_open(s))
    return;
  find_place(s, s->lesson ? s->lesson_number : 0, &number, &page);
  if (player_open(s, number, page))
    show_first_page(s);
}

static int learn_on_screen(struct shop *s, int wanted) {
  int number, page;
  transcript_begin();
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  open_journal(s);
  terminal_catch_signals();
  greet_courses(s);
  find_place(s, wanted, &number, &page);
  if (wanted && !player_take(s, wanted))
    return EXIT_MACHINE;
  if (wanted)
    s->page = page < s->lesson->page_count ? page : s->lesson->page_count - 1;
  return prompt_run(s, open_workbook);
}

static int learn_at_prompt(struct shop *s, int wanted) {
  int number, page;
  transcript_begin();
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  open_journal(s);
  terminal_catch_signals();
  greet(s);
  greet_courses(s);
  find_place(s, wanted, &number, &page);
  if (!player_open(s, number, page))
    return EXIT_MACHINE;
  return prompt_run(s, show_first_page);
}

enum { MOST_LESSONS = 400 }; // named at once

static bool is_number(const char *text) {
  return *text && !text[strspn(text, "0123456789")];
}

// "[COURSE]" from argv[*at] on, and past it: it is in use from here on. False
// where there is none such, of which it speaks.
static bool take_course(int argc, char **argv, int *at) {
  struct err_info e = {0};
  if (*at >= argc || is_number(argv[*at]) || !course_use(argv[(*at)++], &e))
    return true;
  shop_say("%s", e.text);
  return false;
}

// -1 for nonsense, of which it speaks.
static int lesson_number(const char *text) {
  int n = is_number(text) ? atoi(text) : 0;
  if (n > 0)
    return n;
  shop_say("\"%s\" is no lesson's number: warpshop lesson list", text);
  return -1;
}

// "[COURSE] [N]" from argv[at] on. The lesson's number, 0 for none, -1 for
// nonsense, of which it speaks.
static int lesson_argument(int argc, char **argv, int at) {
  if (!take_course(argc, argv, &at))
    return -1;
  if (at + 1 >= argc)
    return at < argc ? lesson_number(argv[at]) : 0;
  shop_say("one lesson at a time: what is \"%s\"?", argv[at + 1]);
  return -1;
}

// "--prompt" or "--plain", wherever it stands: no screen is wanted.
static bool take_prompt(int *argc, char **argv) {
  int kept = 1;
  for (int i = 1; i < *argc; i++)
    if (strcmp(argv[i], "--prompt") != 0 && strcmp(argv[i], "--plain") != 0)
      argv[kept++] = argv[i];
  bool is_wanted = kept < *argc;
  *argc = kept;
  return is_wanted;
}

int sub_learn(struct shop *s, int argc, char **argv) {
  bool is_at_prompt = take_prompt(&argc, argv);
  int number = lesson_argument(argc, argv, 1);
  if (number < 0)
    return EXIT_USAGE;
  if (!is_at_prompt && workbook_fits(s))
    return learn_on_screen(s, number);
  if (s->screen.is_terminal)
    return learn_at_prompt(s, number);
  return player_play_all(s, number);
}

// ---- lesson ----

static int show_lesson(struct shop *s, int number) {
  struct lesson_index index;
  struct err_info e = {0};
  char *text;
  size_t bytes;
  int code = EXIT_USAGE;
  if (lesson_index_load(&index, &e)) {
    shop_say("%s", e.text);
    return EXIT_MACHINE;
  }
  int at = lesson_find(&index, number);
  if (number > 0 && at < 0)
    shop_say("there is no lesson %d; there are %d", number, index.count);
  else if (at < 0)
    shop_say("usage: warpshop lesson show [COURSE] N, with N from %d to %d",
             index.count ? lesson_number_at(&index, 0) : 1,
             index.count ? lesson_number_at(&index, index.count - 1) : 1);
  else if (file_read(index.paths[at], 4 << 20, &text, &bytes, &e))
    shop_say("%s", e.text);
  else {
    fwrite(text, 1, bytes, stdout);
    free(text);
    code = EXIT_PASSED;
  }
  lesson_index_free(&index);
  (void)s;
  return code;
}

// Takes "--json" and "--jobs N" out of argv; false and a sentence for what is
// neither.
static bool take_test_options(int *argc, char **argv, struct lesson_test *t) {
  int kept = 2;
  for (int i = 2; i < *argc; i++) {
    char *end = NULL;
    bool has_jobs = !strcmp(argv[i], "--jobs");
    const char *jobs = str_starts(argv[i], "--jobs=") ? argv[i] + 7
                       : has_jobs && i + 1 < *argc    ? argv[++i]
                                                      : NULL;
    if (jobs)
      t->jobs = (int)strtol(jobs, &end, 10);
    if (!strcmp(argv[i], "--json")) {
      t->is_json = true;
    } else if (jobs ? end == jobs || *end || t->jobs < 1 || t->jobs > 64
                    : argv[i][0] == '-') {
      shop_say(has_jobs || jobs
                   ? "--jobs wants a number of processes, from 1 to 64"
                   : "lesson test has no \"%s\"; usage: warpshop lesson test "
                     "[COURSE] [N...] [--jobs N] [--json]",
               argv[i]);
      return false;
    } else if (!jobs) {
      argv[kept++] = argv[i];
    }
  }
  *argc = kept;
  return true;
}

static int test(struct shop *s, int argc, char **argv) {
  struct lesson_test t = {0};
  int at = 2;
  if (!take_test_options(&argc, argv, &t) || !take_course(argc, argv, &at))
    return EXIT_USAGE;
  int numbers[MOST_LESSONS];
  for (; at < argc && t.count < MOST_LESSONS; at++) {
    int n = numbers[t.count++] = lesson_number(argv[at]);
    if (n < 0)
      return EXIT_USAGE;
  }
  t.numbers = numbers;
  return lesson_test(s, &t);
}

int sub_lesson(struct shop *s, int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "list";
  if (!strcmp(what, "new"))
    return lesson_new(argc, argv);
  if (!strcmp(what, "test"))
    return test(s, argc, argv);
  int number = lesson_argument(argc, argv, 2);
  if (number < 0)
    return EXIT_USAGE;
  if (!strcmp(what, "list")) {
    open_journal(s);
    return lesson_list(s) ? EXIT_PASSED : EXIT_MACHINE;
  }
  if (!strcmp(what, "show"))
    return show_lesson(s, number);
  shop_say("there is no \"lesson %s\"; there are: lesson list [COURSE] | show "
           "[COURSE] N | test [COURSE] [N...] [--jobs N] [--json] | new NAME",
           what);
  return EXIT_USAGE;
}

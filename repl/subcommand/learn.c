// SPDX-License-Identifier: Apache-2.0
// The subcommands learn, repl and lesson.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/lesson/player.h"
#include "repl/prompt/prompt.h"
#include "repl/subcommand.h"
#include "repl/tui/tui.h"

static void open_journal(struct shop *s) {
  struct err_info e;
  if (journal_open(NULL, &s->journal, &e))
    shop_say("progress is not kept: %s", e.text);
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
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  open_journal(s);
  terminal_catch_signals();
  if (s->screen.is_terminal)
    greet(s);
  return prompt_run(s);
}

// ---- learn ----

static int lesson_named(const char *name) {
  struct lesson_index index;
  int number = 0;
  if (lesson_index_load(&index, NULL))
    return 0;
  for (int i = 0; i < index.count; i++) {
    const char *slash = strrchr(index.paths[i], '/');
    if (!strcmp(slash + 1, name))
      number = lesson_number_at(&index, i);
  }
  lesson_index_free(&index);
  return number;
}

// The lesson and page that was left, or the first.
static void find_place(struct shop *s, int wanted, int *number, int *page) {
  char last[256];
  journal_last_lesson(s->journal, last, sizeof last);
  int left = *last ? lesson_named(last) : 0;
  *number = wanted ? wanted : left ? left : 1;
  *page = left && *number == left ? journal_page(s->journal, last) - 1 : 0;
  if (*page < 0)
    *page = 0;
}

static int learn_at_prompt(struct shop *s, int wanted) {
  int number, page;
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  open_journal(s);
  terminal_catch_signals();
  greet(s);
  find_place(s, wanted, &number, &page);
  if (!player_open(s, number, page))
    return EXIT_MACHINE;
  player_show_page(s);
  shop_note(s, "Enter goes on; this prompt is live, try things");
  return prompt_run(s);
}

// A lesson's number from its argument; 0 for none, -1 for nonsense.
static int lesson_number(int argc, char **argv, int at) {
  if (argc <= at)
    return 0;
  int n = atoi(argv[at]);
  if (n > 0 && argc == at + 1)
    return n;
  shop_say("\"%s\" is no lesson's number: warpshop lesson list", argv[at]);
  return -1;
}

int sub_learn(struct shop *s, int argc, char **argv) {
  int number = lesson_number(argc, argv, 1);
  if (number < 0)
    return EXIT_USAGE;
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
    shop_say("usage: warpshop lesson show N, with N from 1 to %d",
             lesson_number_at(&index, index.count - 1));
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

int sub_lesson(struct shop *s, int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "list";
  int number = lesson_number(argc, argv, 2);
  if (number < 0)
    return EXIT_USAGE;
  if (!strcmp(what, "list")) {
    open_journal(s);
    return lesson_list(s) ? EXIT_PASSED : EXIT_MACHINE;
  }
  if (!strcmp(what, "show"))
    return show_lesson(s, number);
  if (!strcmp(what, "test"))
    return player_test(s, number);
  shop_say("there is no \"lesson %s\"; there are: lesson list | show N | "
           "test [N]",
           what);
  return EXIT_USAGE;
}

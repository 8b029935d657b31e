// SPDX-License-Identifier: Apache-2.0
// warpshop: finds the subcommand and runs it.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/progress.h"
#include "base/text/text.h"
#include "cluster/cluster.h"
#include "display/display.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/lesson.h"
#include "repl/progress/progress.h"
#include "repl/shop.h"
#include "repl/subcommand/worker.h"
#include "repl/tui/tui.h"
#include "repl/workbook/workbook.h"

static const struct subcommand subcommands[] = {
#define SUB(name, function, args, help) {name, args, help, function},
#include "repl/subcommand.def"
#undef SUB
};

enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

// ---- Options ----

// The value of "--name value" or "--name=value" at argv[*i], or NULL when
// argv[*i] is something else; `*i` moves on to the value. Of an option that takes none:
// its name.
static const char *option_value(const char *name, bool has_value, int argc,
                                char **argv, int *i) {
  size_t n = strlen(name);
  if (strncmp(argv[*i], name, n))
    return NULL;
  if (!has_value)
    return argv[*i][n] ? NULL : name;
  if (argv[*i][n] == '=')
    return argv[*i] + n + 1;
  if (argv[*i][n])
    return NULL;
  return *i + 1 < argc ? argv[++*i] : "";
}

static bool take_deadline(struct shop *s, const char *text) {
  char *end;
  s->deadline_s = strtod(text, &end);
  if (*text && !*end && s->deadline_s > 0 && s->deadline_s < 1e6)
    return true;
  shop_say("--deadline takes seconds, such as --deadline 10");
  return false;
}

static bool take_node(const char *text) {
  struct slurm_node *n;
  struct err_info e;
  if (slurm_node_new(text, &n, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  slurm_node_free(n);
  return true;
}

static bool take_device(struct shop *s, const char *text) {
  unsigned ordinal;
  char rest;
  s->device = text;
  if (slurm_node_is_name(text))
    return take_node(text);
  if (sscanf(text, "cuda:%u%c", &ordinal, &rest) == 1 ||
      sscanf(text, "virtual:%u%c", &ordinal, &rest) == 1)
    return true;
  shop_say("no device is called \"%s\": the names are cuda:0, cuda:1 ... and "
           "virtual:0 (warpshop device lists those here), and on a cluster "
           "slurm:gpu=1,time=1:00:00",
           text);
  return false;
}

static bool take_language(struct shop *s, const char *text) {
  struct err_info e;
  (void)s;
  if (!message_choose(text, &e))
    return true;
  shop_say("%s", e.text);
  return false;
}

static bool take_plain(struct shop *s, const char *text) {
  (void)text;
  s->wants_plain = true;
  screen_turn_plain(&s->screen, true);
  return true;
}

// Devices read it when they start.
static bool take_seed(struct shop *s, const char *text) {
  (void)s;
  size_t digits = strspn(text, "0123456789");
  if (digits && digits < 19 && !text[digits])
    return setenv("WARPSHOP_SCHEDULE_SEED", text, 1) == 0;
  shop_say("--schedule-seed takes a whole number, such as 7; 0 runs blocks and "
           "warps by number");
  return false;
}

static const struct {
  const char *name;
  bool (*take)(struct shop *s, const char *text);
  const char *value, *help;
} options[] = {
#define OPTION(name, function, value, help) {"--" name, function, value, help},
#include "repl/option.def"
#undef OPTION
};

enum { OPTIONS = sizeof options / sizeof *options };

// Takes the option at argv[*i], if one of ours is there: 1 taken, 0 none, -1
// its value is none.
static int take_option(struct shop *s, int argc, char **argv, int *i) {
  for (int o = 0; o < OPTIONS; o++) {
    const char *value =
        option_value(options[o].name, options[o].value != NULL, argc, argv, i);
    if (value)
      return options[o].take(s, value) ? 1 : -1;
  }
  return 0;
}

// Takes the options of option.def out of argv, up to "--" or, for `run`, up to
// the script, whose own options follow it.
static bool take_options(struct shop *s, int *argc, char **argv) {
  int kept = 1, i = 1;
  bool is_run = false;
  for (; i < *argc; i++) {
    if (!strcmp(argv[i], "--"))
      break;
    int taken = take_option(s, *argc, argv, &i);
    if (taken < 0)
      return false;
    if (taken)
      continue;
    if (is_run && !strcmp(argv[i], "-e") && i + 1 < *argc) {
      argv[kept++] = argv[i++];
      argv[kept++] = argv[i]; // the code: options may follow it
    } else {
      if (is_run)
        break;
      is_run = kept == 1 && !strcmp(argv[i], "run");
      argv[kept++] = argv[i];
    }
  }
  while (i < *argc)
    argv[kept++] = argv[i++];
  argv[kept] = NULL;
  *argc = kept;
  return true;
}

// ---- Subcommands ----

static const struct subcommand *find_subcommand(const char *name) {
  if (!strcmp(name, "--help") || !strcmp(name, "-h"))
    name = "help";
  if (!strcmp(name, "--version") || !strcmp(name, "-V"))
    name = "version";
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (!strcmp(subcommands[i].name, name))
      return &subcommands[i];
  return NULL;
}

static int say_no_option(const char *name) {
  struct nearest near = nearest_to(name);
  for (int i = 0; i < OPTIONS; i++)
    nearest_try(&near, options[i].name, strlen(options[i].name));
  if (near.name)
    shop_say("there is no option %s; did you mean %s?", name, near.name);
  else
    shop_say("there is no option %s: warpshop help lists them", name);
  return EXIT_USAGE;
}

static int say_no_command(const char *name) {
  if (*name == '-')
    return say_no_option(name);
  struct nearest near = nearest_to(name);
  for (int i = 0; i < SUBCOMMANDS; i++)
    nearest_try(&near, subcommands[i].name, strlen(subcommands[i].name));
  if (near.name)
    shop_say("there is no command \"%s\"; did you mean %s?", name, near.name);
  else
    shop_say("there is no command \"%s\": warpshop help lists them", name);
  return EXIT_USAGE;
}

int sub_version(struct shop *s, int argc, char **argv) {
  (void)s, (void)argc, (void)argv;
  printf("warpshop %s\n", WARPSHOP_VERSION);
  return EXIT_PASSED;
}

int sub_help(struct shop *s, int argc, char **argv) {
  const struct subcommand *one = argc > 1 ? find_subcommand(argv[1]) : NULL;
  if (argc > 1 && !one)
    return say_no_command(argv[1]);
  if (one) {
    shop_print(s, "usage: warpshop %s %s\n%s", one->name, one->args, one->help);
    return EXIT_PASSED;
  }
  struct str out = STR_INIT;
  str_add(&out, "usage: warpshop [OPTION]... [COMMAND] ...\n\n");
  for (int i = 0; i < SUBCOMMANDS; i++)
    str_addf(&out, "  %s%s%s\n      %s\n", subcommands[i].name,
             *subcommands[i].args ? " " : "", subcommands[i].args,
             subcommands[i].help);
  str_add(&out, "\nOptions, before the command or behind it:\n\n");
  for (int i = 0; i < OPTIONS; i++)
    str_addf(&out, "  %s%s%s\n      %s\n", options[i].name,
             options[i].value ? " " : "",
             options[i].value ? options[i].value : "", options[i].help);
  shop_print(
      s,
      "%s\nWithout a command: learn. On a cluster's login node --device "
      "slurm:... is one on a\nnode, got with srun, and ends with warpshop.\n"
      "Exit status: 0 passed or done, 1 failed, "
      "2 wrong usage, 3 "
      "this machine cannot.",
      out.data);
  str_free(&out);
  return EXIT_PASSED;
}

// `warpshop COMMAND ... --help`. Behind `run` and its script the options are
// the script's; grade, exercise, class and watch have more to say than a line.
static bool wants_help(int argc, char **argv) {
  bool is_own = !strcmp(argv[1], "grade") || !strcmp(argv[1], "exercise") ||
                !strcmp(argv[1], "class") || !strcmp(argv[1], "watch");
  int last = strcmp(argv[1], "run") ? argc : argc < 3 ? argc : 3;
  for (int i = 2; i < last && !is_own && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return true;
  return false;
}

static int run_subcommand(struct shop *s, int argc, char **argv) {
  char *learn[] = {(char *)"learn", NULL};
  if (argc < 2)
    return find_subcommand("learn")->run(s, 1, learn);
  const struct subcommand *sub = find_subcommand(argv[1]);
  if (sub && wants_help(argc, argv)) {
    char *help[] = {(char *)"help", argv[1], NULL};
    return sub_help(s, 2, help);
  }
  if (sub)
    return sub->run(s, argc - 1, argv + 1);
  if (!strcmp(argv[1], "scale-worker")) // nobody types it: scale starts it
    return sub_scale_worker(s);
  return say_no_command(argv[1]);
}

// A reader that left (warpshop ... | head) ends the program quietly.
static int flush_all(int code) {
  if (fflush(stdout) && errno == EPIPE)
    return code;
  if (ferror(stdout)) {
    shop_say("standard output could not be written");
    return code == EXIT_PASSED ? EXIT_MACHINE : code;
  }
  return code;
}

// A page of a lesson stays whole.
static void say_on_page(const struct shop *s, const char *line) {
  struct str out = STR_INIT;
  screen_fit(&s->screen, line, &out);
  printf("%s\n", out.data);
  str_free(&out);
}

// Results go to standard output, what is worth knowing beside them here.
static void say_logged(void *context, int level, const char *text) {
  struct shop *s = context;
  bool is_of_program = level & LOG_OF_PROGRAM;
  int how = level & ~LOG_OF_PROGRAM;
  if (how == LOG_DEBUG || (is_of_program && s->mode.is_quiet))
    return;
  if ((how == LOG_PROGRESS || how == LOG_STATUS) && display_is_open())
    return; // a whole screen shows its own
  fflush(stdout);
  if (how == LOG_PROGRESS) {
    screen_progress(&s->screen, text);
    return;
  }
  progress_hide(); // what is said now has its line
  if (how == LOG_STATUS) {
    screen_status(&s->screen, text);
    return;
  }
  struct str said = STR_INIT;
  message_report(text, &said);
  char *line = xasprintf(
      "%s: %s", message(how == LOG_WARNING ? "warning" : "note"), said.data);
  str_free(&said);
  if (is_of_program && s->mode.notes_to_stdout)
    say_on_page(s, line);
  else
    screen_say(line);
  free(line);
}

static void close_all(struct shop *s) {
  workbook_free(s);
  lesson_free(s->lesson);
  s->lesson = NULL;
  check_forget_judge(s);
  if (s->L)
    bind_close(s->L);
  s->L = NULL;
  seat_close(s);
  journal_close(s->journal);
  s->journal = NULL;
  pieces_free(&s->pieces);
}

int main(int argc, char **argv) {
  struct shop shop = {.run_command = command_run};
  // A dead device server must not end the program; a reader that left does
  // (eval/state.c).
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); // ulimit -f: the write says what is too large
  log_set_hook(say_logged, &shop);
  progress_allow();
  seat_join_queue();
  display_repair();
  screen_open(&shop.screen);
  message_choose_wanted();
  if (!take_options(&shop, &argc, argv))
    return EXIT_USAGE;
  int code = run_subcommand(&shop, argc, argv);
  close_all(&shop);
  return flush_all(code);
}

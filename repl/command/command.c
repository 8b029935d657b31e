// SPDX-License-Identifier: Apache-2.0
// The prompt's commands: looking them up, and the ones about help and lessons.
#include "repl/command/command.h"
#include "display/display.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/course/course.h"
#include "repl/debugger/debugger.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/lesson.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"
#include "repl/workbook/workbook.h"

static const struct command {
  const char *name, *alias;
  bool (*run)(struct shop *s, const char *args_text);
  const char *args, *help;
} commands[] = {
#define CMD(name, alias, function, args, help)                                 \
  {name, alias, function, args, help},
#include "repl/command/command.def"
#undef CMD
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const char *command_name(int i) {
  return i < COMMANDS ? commands[i].name : NULL;
}

// ---- Looking up ----

// The whole name, the alias, or a beginning that fits one name only.
static const struct command *find_command(const char *name) {
  const struct command *found = NULL;
  int fitting = 0;
  for (int i = 0; *name && i < COMMANDS; i++) { // ":" alone is none
    if (!strcmp(commands[i].name, name) || !strcmp(commands[i].alias, name))
      return &commands[i];
    if (str_starts(commands[i].name, name)) {
      found = &commands[i];
      fitting++;
    }
  }
  return fitting == 1 ? found : NULL;
}

const char *command_args(const char *name, size_t bytes, const char **help) {
  char *own = xstrndup(name, bytes);
  const struct command *c = find_command(own);
  free(own);
  *help = c ? message(c->help) : NULL;
  return c ? c->args : NULL;
}

// What other prompts call it.
static const char *other_name(const char *name) {
  static const char *const names[][2] = {
      {"prof", "counters"}, {"ncu", "counters"},       {"run", "load"},
      {"bench", "time"},    {"timeit", "time"},        {"open", "load"},
      {"exit", "quit"},     {"exercises", "exercise"}, {"test", "check"},
      {"submit", "check"},  {"grade", "check"},        {"ls", "who"},
      {"vars", "who"},      {"whos", "who"},           {"vi", "edit"},
      {"vim", "edit"},      {"cls", "clear"},          {"answer", "solution"},
      {"gpu", "device"},    {"lessons", "lesson"},     {"prev", "back"},
      {"continue", "next"}, {"asm", "sass"},           {"wq", "quit"},
      {"x", "quit"},        {"bye", "quit"},           {"logout", "quit"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i][0], name))
      return names[i][1];
  return NULL;
}

static bool unknown_command(struct shop *s, const char *name) {
  struct str out = STR_INIT;
  struct nearest near = nearest_to(name);
  str_addf(&out, message("There is no command :%s"), name);
  int shown = 0;
  for (int i = 0; i < COMMANDS; i++) {
    nearest_try(&near, commands[i].name, strlen(commands[i].name));
    if (*name && str_starts(commands[i].name, name))
      str_addf(&out, "%s:%s", shown++ ? " or " : message("; did you mean "),
               commands[i].name);
  }
  const char *other = other_name(name);
  if (!shown && (other || near.name))
    str_addf(&out, message("; did you mean :%s"), other ? other : near.name);
  shop_warn(s, "%s%s", out.data,
            shown || near.name ? "?" : message(". :help lists the commands."));
  str_free(&out);
  return false;
}

static bool run_shell(struct shop *s, const char *line) {
  fflush(stdout);
  int status = system(line);
  if (status == -1) {
    shop_warn(s, "The shell could not be started.");
    return false;
  }
  return status == 0;
}

static bool run_named(struct shop *s, const char *line) {
  size_t n = strcspn(line, " \t");
  char *name = xstrndup(line, n),
       *args = str_trimmed(line + n, strlen(line + n));
  const struct command *c = find_command(name);
  bool fine = c ? c->run(s, args) : unknown_command(s, name);
  free(name);
  free(args);
  fflush(stdout);
  return fine;
}

// IPython's commands begin with "%": its names for ours.
static bool run_magic(struct shop *s, const char *line) {
  static const char *const names[][2] = {
      {"timeit", "time"},    {"time", "time"},   {"who", "who"},
      {"whos", "who"},       {"run", "load"},    {"load", "load"},
      {"edit", "edit"},      {"rerun", "rerun"}, {"hist", "history"},
      {"history", "history"}};
  size_t n = strcspn(line, " \t");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strlen(names[i][0]) != n || strncmp(line, names[i][0], n))
      continue;
    char *ours = xasprintf("%s%s", names[i][1], line + n);
    bool fine = run_named(s, ours);
    free(ours);
    return fine;
  }
  shop_warn(s, "Commands begin with \":\" here: :help lists them.");
  return false;
}

bool command_run(struct shop *s, const char *line) {
  if (*line == '!' || str_starts(line, ":!"))
    return run_shell(s, strchr(line, '!') + 1);
  if (*line == '%')
    return run_magic(s, line + 1 + (line[1] == '%'));
  if (*line == ':')
    return run_named(s, line + 1);
  bool is_source = str_starts(line, "??");
  char *name = str_trimmed(line + 1 + is_source, strlen(line + 1 + is_source));
  bool fine = is_source ? help_show_source(s, name) : help_show(s, name);
  free(name);
  fflush(stdout);
  return fine;
}

// ---- :help ----

static void add_command(const struct command *c, struct str *out) {
  char usage[64];
  snprintf(usage, sizeof usage, ":%s %s", c->name, c->args);
  str_addf(out, "  %-20s  %s\n", usage, message(c->help));
}

static void add_all_commands(struct str *out) {
  for (int i = 0; i < COMMANDS; i++)
    add_command(&commands[i], out);
  str_addf(out, "  %-20s  %s\n", "!COMMAND", message("a line for the shell"));
  str_addf(out, "  %-20s  %s\n", "?NAME  ??NAME",
           message("what a function or a word is; its source"));
  str_add(out, message("\nA line is Lua, and its value is printed. A line that "
                       "begins as CUDA "
                       "C does (__global__, __device__, #include, a type and a "
                       "name) goes on "
                       "until its braces balance. Ctrl-C stops what runs, "
                       "Ctrl-D leaves, Tab "
                       "completes.\n"));
}

bool command_help(struct shop *s, const char *args_text) {
  const char *name = *args_text == ':' ? args_text + 1 : args_text;
  const struct command *c = *name ? find_command(name) : NULL;
  if (*name && !c)
    return help_show(s, name);
  struct str out = STR_INIT;
  if (c)
    add_command(c, &out);
  else
    add_all_commands(&out);
  shop_print(s, "%s", out.data);
  str_free(&out);
  if (c && c->run == command_debug)
    debugger_help(s);
  return true;
}

bool command_help_of(struct shop *s, const char *name) {
  const struct command *c = find_command(name);
  return c && !strcmp(c->name, name) && command_help(s, name);
}

// ---- Lessons ----

static void add_exercises(struct shop *s, const struct lesson *l,
                          struct str *out) {
  const char *name;
  int width = 16;
  for (int i = 0; (name = lesson_exercise(l, i)); i++)
    if ((int)strlen(name) > width)
      width = (int)strlen(name);
  for (int i = 0; (name = lesson_exercise(l, i)); i++) {
    struct exercise_progress p = progress_of(s->journal, name);
    struct str text = STR_INIT;
    progress_add_text(&p, &text);
    str_addf(out, "      %-*s %s\n", width, name,
             text.len ? text.data : message("not tried yet"));
    str_free(&text);
  }
}

static void add_lesson_row(struct shop *s, int number, const char *path,
                           struct str *out) {
  struct lesson *l;
  struct err_info e = {0};
  if (lesson_load(path, &l, &e)) {
    str_addf(out, "%2d  %s: %s\n", number, path, e.text);
    return;
  }
  int page = journal_page(s->journal, l->name);
  int gap = 32 - width_of(l->title, strlen(l->title));
  str_addf(out, "%2d  %s%*s ", number, l->title, gap > 0 ? gap : 0, "");
  str_addf(out,
           message_of(l->page_count, "%2d page, %2d + %2d min",
                      "%2d pages, %2d + %2d min"),
           l->page_count, l->minutes, lesson_exercise_minutes(l));
  if (lesson_is_done(s->journal, l))
    str_add(out, message(", done"));
  else if (page > 0)
    str_addf(out, message(", you are on page %d"), page);
  str_add_char(out, '\n');
  add_exercises(s, l, out);
  lesson_free(l);
}

bool lesson_list(struct shop *s) {
  struct lesson_index index;
  struct err_info e = {0};
  if (lesson_index_load(&index, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  struct str out = STR_INIT;
  for (int i = 0; i < index.count; i++) {
    const struct course_part *part = lesson_part_at(&index, i);
    if (part && part->first == i)
      str_addf(&out, "%s %s\n", part->numeral, message(part->title));
    add_lesson_row(s, lesson_number_at(&index, i), index.paths[i], &out);
  }
  str_add(
      &out,
      message("min: about so many for the pages, and for their exercises\n"));
  lesson_index_free(&index);
  shop_print(s, "%s", out.data);
  str_free(&out);
  return true;
}

// A page that is being played must not be taken away under the player: the
// command waits until the page has ended.
static bool waits_for_page(struct shop *s, const char *name,
                           const char *args_text) {
  if (!s->mode.is_playing)
    return false;
  free(s->after_page);
  s->after_page = xasprintf(":%s %s", name, args_text);
  return true;
}

bool command_lesson(struct shop *s, const char *args_text) {
  if (!*args_text)
    return lesson_list(s);
  if (waits_for_page(s, "lesson", args_text))
    return true;
  char *end;
  long number = strtol(args_text, &end, 10);
  if (*end || number < 1 || number > INT_MAX) {
    shop_warn(s, "A lesson is opened by its number: :lesson lists them, "
                 ":lesson 1 opens the first.");
    return false;
  }
  return player_open(s, (int)number, 0) && player_show_page(s);
}

bool command_workbook(struct shop *s, const char *args_text) {
  if (waits_for_page(s, "workbook", args_text))
    return true;
  if (workbook_fits(s))
    return workbook_open(s);
  shop_warn(s, "The workbook needs a terminal of 60 x 16 that can move its "
               "cursor. :lesson lists the lessons, :exercise the exercises.");
  return false;
}

static bool no_lesson(struct shop *s) {
  shop_warn(s, "No lesson is open: :lesson lists them, :lesson 1 opens the "
               "first.");
  return false;
}

bool command_next(struct shop *s, const char *args_text) {
  if (!s->lesson)
    return no_lesson(s);
  if (waits_for_page(s, "next", args_text))
    return true;
  if (s->page + 1 < s->lesson->page_count) {
    s->page++;
    return player_show_page(s);
  }
  struct lesson_index index;
  int next = 0; // the number of the one behind; 0: there is none
  if (lesson_index_load(&index, NULL) == ERR_OK) {
    int at = lesson_find(&index, s->lesson_number);
    if (at + 1 < index.count)
      next = lesson_number_at(&index, at + 1);
  }
  lesson_index_free(&index);
  if (!next) {
    shop_print(s, "That was the last page of the last lesson. :lesson N opens "
                  "one again.\n");
    return true;
  }
  return player_open(s, next, 0) && player_show_page(s);
}

bool command_back(struct shop *s, const char *args_text) {
  if (!s->lesson)
    return no_lesson(s);
  if (waits_for_page(s, "back", args_text))
    return true;
  if (s->page > 0 && !s->is_free) // from free play back to where it was left
    s->page--;
  return player_show_page(s);
}

// ---- Out of a lesson ----

static bool leave_page(struct shop *s) {
  bool is_asked = *s->exercise || (s->lesson && !s->is_free);
  s->wanted = NULL;
  s->exercise[0] = 0;
  s->is_free = true;
  if (s->lesson)
    shop_print(s,
               "%s: what you defined is still here. :back shows page %d.%d "
               "again, :next goes on.",
               is_asked ? message("Free play") : message("This is free play"),
               s->lesson_number, s->page + 1);
  else
    shop_print(s, is_asked ? "Free play: the exercise is left; :exercise NAME "
                             "opens one again."
                           : "This is free play: there is nothing to leave.");
  return true;
}

// Asks, where there is somebody; whether to do it.
static bool is_to_forget(struct shop *s) {
  if (!s->screen.is_terminal)
    return true;
  char *question = xasprintf(
      message("Forget how far you came in lesson %d? What you passed stays "
              "passed. [y/N] "),
      s->lesson_number);
  char *answer = terminal_ask(question, message("Enter alone is no"));
  bool yes = answer && (*answer == 'y' || *answer == 'Y');
  free(answer);
  free(question);
  return yes;
}

static bool forget_lesson(struct shop *s) {
  struct err_info e;
  if (!s->lesson)
    return no_lesson(s);
  if (!is_to_forget(s))
    return false;
  if (journal_add(s->journal, "forget", s->lesson->name, "", &e))
    shop_say("progress is not kept: %s", e.text);
  shop_print(s, "Lesson %d is forgotten; :lesson %d begins it anew.",
             s->lesson_number, s->lesson_number);
  lesson_free(s->lesson);
  s->lesson = NULL;
  s->wanted = NULL;
  s->exercise[0] = 0;
  variables_forget(s);
  return true;
}

bool command_leave(struct shop *s, const char *args_text) {
  if (*args_text && strcmp(args_text, "lesson") != 0) {
    shop_warn(s, ":leave goes to free play, :leave lesson forgets the lesson.");
    return false;
  }
  if (waits_for_page(s, "leave", args_text))
    return true;
  return *args_text ? forget_lesson(s) : leave_page(s);
}

// ---- Settings ----

static bool is_plain_off(const struct shop *s) {
  return !s->screen.is_plain;
}

static void turn_plain(struct shop *s, bool is_on) {
  screen_turn_plain(&s->screen, is_on);
}

static bool is_suggestions_off(const struct shop *s) {
  (void)s;
  return !recall_is_wanted();
}

static void turn_suggestions(struct shop *s, bool is_on) {
  (void)s;
  recall_want(is_on);
}

static bool is_mouse_off(const struct shop *s) {
  (void)s;
  return !display_mouse_is_wanted();
}

static void turn_mouse(struct shop *s, bool is_on) {
  (void)s;
  display_want_mouse(is_on);
}

static const struct setting {
  const char *name, *help;
  bool (*is_off)(const struct shop *s);
  void (*turn)(struct shop *s, bool is_on);
} settings[] = {
    {"review", MESSAGE("a lesson opens with two questions from earlier ones"),
     review_is_off, review_turn},
    {"plain", MESSAGE("for a screen reader: no colour, pictures as sentences"),
     is_plain_off, turn_plain},
    {"suggestions",
     MESSAGE("how an earlier line goes on stands in grey behind yours"),
     is_suggestions_off, turn_suggestions},
    {"mouse", MESSAGE("on whole screens the wheel moves, and a click chooses"),
     is_mouse_off, turn_mouse},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static bool take_language(struct shop *s, const char *name) {
  struct err_info e;
  if (!message_choose(name, &e))
    return true;
  shop_warn(s, "%s", e.text);
  return false;
}

// "plain on": sets it; false where there is no such setting.
static bool take_setting(struct shop *s, const char *text) {
  for (int i = 0; i < SETTINGS; i++) {
    size_t n = strlen(settings[i].name);
    if (strncmp(text, settings[i].name, n) || text[n] != ' ')
      continue;
    const char *value = text + n + strspn(text + n, " ");
    bool is_on = !strcmp(value, "on");
    if (is_on || !strcmp(value, "off")) {
      settings[i].turn(s, is_on);
      return true;
    }
  }
  return false;
}

bool command_set(struct shop *s, const char *args_text) {
  if (str_starts(args_text, "language ")) {
    if (!take_language(s, args_text + strlen("language ")))
      return false;
  } else if (*args_text && !take_setting(s, args_text)) {
    shop_warn(s, "The settings: :set review on, :set plain on, :set "
                 "suggestions on, :set mouse on (or off), :set language en, "
                 ":set language de");
    return false;
  }
  struct str out = STR_INIT;
  for (int i = 0; i < SETTINGS; i++) {
    bool is_off = settings[i].is_off(s);
    str_addf(&out, message("%s %s (:set %s %s changes it): %s\n"),
             settings[i].name, is_off ? "off" : "on", settings[i].name,
             is_off ? "on" : "off", message(settings[i].help));
  }
  str_addf(&out, "language %s", message_language());
  str_add(&out,
          message(" (the language of what is said: en or de; LANGUAGE and "
                  "LANG, too)\n"));
  shop_print(s, "%s", out.data);
  str_free(&out);
  return true;
}

// ---- Small ones ----

bool command_clear(struct shop *s, const char *args_text) {
  (void)args_text;
  if (s->screen.has_colour)
    printf("\x1b[H\x1b[2J");
  return true;
}

bool command_quit(struct shop *s, const char *args_text) {
  (void)args_text;
  s->wants_quit = true;
  return true;
}

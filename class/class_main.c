// SPDX-License-Identifier: Apache-2.0
// warpshop class: rooms, from the instructor's side and the learner's.
#include "class/class_main.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "class/check.h"
#include "class/event.h"
#include "class/key.h"
#include "grade/command.h"

static const char help[] =
    "A room is a folder in which a class works: learners join it, and its\n"
    "instructors see who is where. It needs no server and no root.\n";
static const char help_end[] =
    "\nWithout DIR it is the room that you have joined. docs/teaching.md is "
    "the\n"
    "instructor's page, docs/security.md says what is protected from whom.\n";

static const struct {
  const char *name, *args, *help;
  int (*run)(int argc, char **argv);
} commands[] = {
#define CLASS(name, function, args, help) {name, args, help, function},
#include "class/class.def"
#undef CLASS
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void add_usage(struct str *out) {
  for (int i = 0; i < COMMANDS; i++)
    str_addf(out, "%s warpshop class %s%s%s\n",
             i ? "      " : "usage:", commands[i].name,
             *commands[i].args ? " " : "", commands[i].args);
}

// A sentence in lines of 78 columns, beside its name.
static void add_help(struct str *out, const char *name, const char *text) {
  int column = 12;
  str_addf(out, "  %-10s", name);
  for (const char *p = text; *p;) {
    int n = (int)strcspn(p, " ");
    if (column + n >= 78) {
      str_addf(out, "\n%12s", "");
      column = 12;
    }
    str_addf(out, " %.*s", n, p);
    column += n + 1;
    p += n + (p[n] != 0);
  }
  str_add_char(out, '\n');
}

static void print_help(void) {
  struct str out = STR_INIT;
  add_usage(&out);
  str_addf(&out, "%s\n", help);
  for (int i = 0; i < COMMANDS; i++)
    add_help(&out, commands[i].name, commands[i].help);
  printf("%s%s", out.data, help_end);
  str_free(&out);
}

int class_usage(const char *text) {
  const char *name = text + strlen("class ");
  size_t n = strcspn(name, " :");
  fprintf(stderr, "warpshop: %s\n", text);
  for (int i = 0; i < COMMANDS; i++)
    if (strlen(commands[i].name) == n && !strncmp(name, commands[i].name, n))
      fprintf(stderr, "usage: warpshop class %s %s\n", commands[i].name,
              commands[i].args);
  return EXIT_WRONG_USAGE;
}

static int refuse(const char *name) {
  char text[200];
  struct nearest near = nearest_to(name);
  char hint[NEAREST_HINT];
  for (int i = 0; i < COMMANDS; i++)
    nearest_try(&near, commands[i].name, strlen(commands[i].name));
  snprintf(text, sizeof text,
           "class has no command \"%.60s\"%s; warpshop class --help lists "
           "them",
           name, nearest_hint(hint, &near, "", "?"));
  return command_say(EXIT_WRONG_USAGE, text);
}

int class_say_error(enum err err, const struct err_info *e) {
  return command_say(err == ERR_IO ? EXIT_NO_MACHINE : EXIT_WRONG_USAGE,
                     e->text);
}

char *class_join_words(int argc, char **argv, int first) {
  struct str text = STR_INIT;
  for (int i = first; i < argc; i++)
    str_addf(&text, "%s%s", i > first ? " " : "", argv[i]);
  return str_take(&text);
}

// ---- new ----

int class_new(int argc, char **argv) {
  static const struct option options[] = {
      {"group", required_argument, NULL, 'g'},
      {"instructors", required_argument, NULL, 'i'},
      {NULL, 0, NULL, 0},
  };
  struct room_new q = {0};
  char *names[64], *list = NULL;
  struct err_info e;
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
    if (c == 'g')
      q.group = optarg;
    else if (c == 'i')
      list = optarg;
    else
      return class_usage("class new takes DIR, --group and --instructors");
  }
  for (char *at = list ? strtok(list, ",") : NULL;
       at && q.instructor_count < 64; at = strtok(NULL, ","))
    names[q.instructor_count++] = at;
  q.instructors = names;
  if (optind != argc - 1 || !q.group)
    return class_usage("class new takes one DIR and --group GROUP");
  q.folder = argv[optind];
  enum err err = room_new(&q, &e);
  if (err)
    return class_say_error(err, &e);
  // Learners type it wherever they are.
  char *whole = realpath(q.folder, NULL);
  const char *folder = whole ? whole : q.folder;
  printf("%s is a room for the instructors in %s.\n"
         "Learners enter it by: warpshop class join %s\n"
         "warpshop class check %s says what others could read.\n",
         folder, q.group, folder, folder);
  free(whole);
  return 0;
}

// ---- join, ask, leave ----

// The seat's log, with a sentence where there is none.
static struct event_log *open_own_log(struct room_seat *seat, int *code) {
  struct err_info e;
  *code = 0;
  if (!room_seat_load(seat, &e))
    return event_log_open(seat->folder);
  *code = command_say(EXIT_WRONG_USAGE, e.text);
  return NULL;
}

int class_tell(enum event_kind kind, const char *what, const char *text,
               const char *code) {
  struct room_seat seat;
  struct err_info e;
  int status;
  struct event_log *log = open_own_log(&seat, &status);
  if (!log)
    return status;
  enum err err = event_add(log, kind, what, text, code, &e);
  if (err)
    status = class_say_error(err, &e);
  event_log_close(log);
  room_seat_free(&seat);
  return status;
}

// Enters the room, by the folder of an earlier time where there is one.
static enum err enter(const struct room *r, struct room_seat *seat,
                      struct err_info *e) {
  char *name = NULL;
  seat->room = xstrdup(r->folder);
  seat->folder = room_seat_before(r);
  enum err err = seat->folder ? ERR_OK : room_join(r, &name, e);
  if (!err && !seat->folder)
    seat->folder = xasprintf("%s/%s", r->folder, name);
  if (!err)
    err = key_share(seat->folder, e);
  if (!err)
    err = room_seat_save(seat, e);
  free(name);
  return err;
}

int class_join(int argc, char **argv) {
  struct room_seat old, seat = {0};
  struct err_info e;
  struct room *r;
  char host[65] = "";
  if (argc != 2)
    return class_usage("class join takes one DIR");
  if (!room_seat_load(&old, &e)) {
    char *text = xasprintf(
        "you are in %s; warpshop class leave ends that first", old.room);
    int status = command_say(EXIT_WRONG_USAGE, text);
    free(text);
    room_seat_free(&old);
    return status;
  }
  enum err err = room_open(argv[1], &r, &e);
  if (err)
    return class_say_error(err, &e);
  err = enter(r, &seat, &e);
  int code = err ? class_say_error(err, &e) : 0;
  gethostname(host, sizeof host - 1);
  if (!code)
    code = class_tell(EVENT_JOIN, "", host, "");
  if (!code)
    printf(
        "You are in %s. Its instructors see your lesson and page, what has "
        "passed and\nwhich kinds of mistakes were made, and no line of code "
        "until you hand it in.\n:ask at the prompt asks them; warpshop class "
        "leave ends it.\n",
        r->name);
  room_seat_free(&seat);
  room_close(r);
  return code;
}

int class_leave(int argc, char **argv) {
  struct room_seat seat;
  struct err_info e;
  (void)argv;
  if (argc > 1)
    return class_usage("class leave takes nothing");
  if (room_seat_load(&seat, &e))
    return class_say_error(ERR_NOT_FOUND, &e);
  room_seat_free(&seat);
  int code = class_tell(EVENT_LEAVE, "", "", "");
  enum err err = room_seat_leave(&e);
  if (err)
    return class_say_error(err, &e);
  if (!code)
    puts("You have left the room. What it knows stays with its instructors.");
  return code;
}

int class_ask(int argc, char **argv) {
  char *text = class_join_words(argc, argv, 1);
  int code = *text ? class_tell(EVENT_ASK, "", text, "")
                   : class_usage("class ask takes your question");
  if (!code)
    puts("Asked.");
  free(text);
  return code;
}

// ---- check, watch ----

struct room *class_open_room(const char *folder, int *code) {
  struct room_seat seat = {0};
  struct err_info e;
  struct room *r = NULL;
  enum err err = folder ? ERR_OK : room_seat_load(&seat, &e);
  if (err)
    err_set(&e, err,
            "you are in no room: name its DIR, or enter one by "
            "warpshop class join DIR");
  else
    err = room_open(folder ? folder : seat.room, &r, &e);
  room_seat_free(&seat);
  *code = err ? class_say_error(err, &e) : 0;
  return r;
}

static void say_check(void *context, bool is_wrong, const char *text) {
  (void)context;
  printf("%s %s\n", is_wrong ? "!" : " ", text);
}

int class_check(int argc, char **argv) {
  struct err_info e;
  int code;
  if (argc > 2)
    return class_usage("class check takes one DIR");
  struct room *r = class_open_room(argc > 1 ? argv[1] : NULL, &code);
  if (!r)
    return code;
  struct room_check c = {.say = say_check};
  enum err err = room_check(r, &c, &e);
  room_close(r);
  return err ? class_say_error(err, &e) : c.wrong ? 1 : 0;
}

int class_main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const char *last = argc <= 3 ? argv[argc - 1] : "";
  bool is_book = !strcmp(what, "book"); // which has a help of its own
  if (argc < 2 ||
      (!is_book && (!strcmp(last, "--help") || !strcmp(last, "-h")))) {
    print_help();
    return 0;
  }
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(what, commands[i].name))
      return commands[i].run(argc - 1, argv + 1);
  return refuse(what);
}

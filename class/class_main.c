// SPDX-License-Identifier: Apache-2.0
// warpshop class: rooms, from the instructor's side and the learner's.
#include "class/class_main.h"

#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "class/check.h"
#include "class/event.h"
#include "class/view.h"
#include "grade/command.h"

static const char usage_text[] =
    "usage: warpshop class new DIR --group GROUP [--instructors A,B]\n"
    "       warpshop class check [DIR]\n"
    "       warpshop class watch [DIR] [--json] [--once] [--hide-names]\n"
    "       warpshop class join DIR\n"
    "       warpshop class ask TEXT\n"
    "       warpshop class leave\n";

static const char help[] =
    "A room is a folder in which a class works: learners join it, and its\n"
    "instructors see who is where. It needs no server and no root.\n\n"
    "  new     makes one; only members of GROUP may read what learners write\n"
    "  check   what any other user of this machine could read in it\n"
    "  watch   who is where, the stuck first; asks; how the exercises go\n"
    "  join    enter one: from then on its instructors see lesson, page, "
    "passes\n"
    "          and the kinds of mistakes, and no line of code\n"
    "  ask     a question to the instructors (:ask at the prompt)\n"
    "  leave   nothing more is told\n\n"
    "Without DIR it is the room that you have joined. docs/teaching.md is the\n"
    "instructor's page, docs/security.md says what is protected from whom.\n";

static int usage(const char *text) {
  fprintf(stderr, "warpshop: %s\n%s", text, usage_text);
  return EXIT_WRONG_USAGE;
}

static int say_error(enum err err, const struct err_info *e) {
  return command_say(err == ERR_IO ? EXIT_NO_MACHINE : EXIT_WRONG_USAGE,
                     e->text);
}

// ---- new ----

static int make_room(int argc, char **argv) {
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
      return usage("class new takes DIR, --group and --instructors");
  }
  for (char *at = list ? strtok(list, ",") : NULL;
       at && q.instructor_count < 64; at = strtok(NULL, ","))
    names[q.instructor_count++] = at;
  q.instructors = names;
  if (optind != argc - 1 || !q.group)
    return usage("class new takes one DIR and --group GROUP");
  q.folder = argv[optind];
  enum err err = room_new(&q, &e);
  if (err)
    return say_error(err, &e);
  printf("%s is a room for the instructors in %s.\n"
         "Learners enter it by: warpshop class join %s\n"
         "warpshop class check %s says what others could read.\n",
         q.folder, q.group, q.folder, q.folder);
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

static int add_own(enum event_kind kind, const char *text) {
  struct room_seat seat;
  struct err_info e;
  int code;
  struct event_log *log = open_own_log(&seat, &code);
  if (!log)
    return code;
  enum err err = event_add(log, kind, "", text, "", &e);
  if (err)
    code = say_error(err, &e);
  event_log_close(log);
  room_seat_free(&seat);
  return code;
}

static int join(const char *folder) {
  struct room_seat old, seat = {0};
  struct err_info e;
  struct room *r;
  char *name = NULL, host[65] = "";
  if (!room_seat_load(&old, &e)) {
    char *text = xasprintf(
        "you are in %s; warpshop class leave ends that first", old.room);
    int code = command_say(EXIT_WRONG_USAGE, text);
    free(text);
    room_seat_free(&old);
    return code;
  }
  enum err err = room_open(folder, &r, &e);
  if (err)
    return say_error(err, &e);
  err = room_join(r, &name, &e);
  if (!err) {
    seat.room = xstrdup(r->folder);
    seat.folder = xasprintf("%s/%s", r->folder, name);
    err = room_seat_save(&seat, &e);
  }
  int code = err ? say_error(err, &e) : 0;
  gethostname(host, sizeof host - 1);
  if (!code)
    code = add_own(EVENT_JOIN, host);
  if (!code)
    printf(
        "You are in %s. Its instructors see your lesson and page, what has "
        "passed and\nwhich kinds of mistakes were made, and no line of code "
        "until you hand it in.\n:ask at the prompt asks them; warpshop class "
        "leave ends it.\n",
        r->name);
  free(name);
  room_seat_free(&seat);
  room_close(r);
  return code;
}

static int leave(void) {
  struct err_info e;
  int code = add_own(EVENT_LEAVE, "");
  enum err err = room_seat_leave(&e);
  if (err)
    return say_error(err, &e);
  if (!code)
    puts("You have left the room. What it knows stays with its instructors.");
  return code;
}

static int ask(int argc, char **argv) {
  struct str text = STR_INIT;
  for (int i = 1; i < argc; i++)
    str_addf(&text, "%s%s", i > 1 ? " " : "", argv[i]);
  int code = text.len ? add_own(EVENT_ASK, text.data)
                      : usage("class ask takes your question");
  if (!code)
    puts("Asked.");
  str_free(&text);
  return code;
}

// ---- check, watch ----

static struct room *open_room(const char *folder, int *code) {
  struct room_seat seat = {0};
  struct err_info e;
  struct room *r = NULL;
  enum err err = folder ? ERR_OK : room_seat_load(&seat, &e);
  if (!err)
    err = room_open(folder ? folder : seat.room, &r, &e);
  room_seat_free(&seat);
  *code = err ? say_error(err, &e) : 0;
  return r;
}

static void say_check(void *context, bool is_wrong, const char *text) {
  (void)context;
  printf("%s %s\n", is_wrong ? "!" : " ", text);
}

static int check(int argc, char **argv) {
  struct err_info e;
  int code;
  if (argc > 2)
    return usage("class check takes one DIR");
  struct room *r = open_room(argc > 1 ? argv[1] : NULL, &code);
  if (!r)
    return code;
  struct room_check c = {.say = say_check};
  enum err err = room_check(r, &c, &e);
  room_close(r);
  return err ? say_error(err, &e) : c.wrong ? 1 : 0;
}

static int screen_width(void) {
  struct winsize w;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_col < 72 ? 80 : w.ws_col;
}

static int show(struct view *v, bool is_json, struct view_options q) {
  struct err_info e;
  enum err err = view_refresh(v, &e);
  if (err)
    return say_error(err, &e);
  q.now_ms = clock_day_ms();
  q.width = screen_width();
  json_t *o = is_json ? view_json(v, &q) : NULL;
  char *text = is_json ? json_dumps(o, JSON_INDENT(2)) : view_text(v, &q);
  printf("%s%s", text, is_json ? "\n" : "");
  fflush(stdout);
  json_decref(o);
  free(text);
  return 0;
}

static volatile sig_atomic_t is_over;

static void stop(int signal) {
  (void)signal;
  is_over = 1;
}

// Again each second, until Ctrl-C or q and Enter.
static int follow(struct view *v, struct view_options q) {
  int code = 0;
  signal(SIGINT, stop);
  while (!code && !is_over) {
    printf("\033[H\033[2J");
    code = show(v, false, q);
    printf("\nq and Enter, or Ctrl-C, ends this.\n");
    fflush(stdout);
    struct pollfd in = {STDIN_FILENO, POLLIN, 0};
    char line[80];
    if (!code && poll(&in, 1, 1000) > 0 &&
        (!fgets(line, sizeof line, stdin) || line[0] == 'q'))
      break;
  }
  signal(SIGINT, SIG_DFL);
  return code;
}

static int watch(int argc, char **argv) {
  static const struct option options[] = {
      {"json", no_argument, NULL, 'j'},
      {"once", no_argument, NULL, 'o'},
      {"hide-names", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  bool is_json = false, is_once = !isatty(STDOUT_FILENO);
  struct view_options q = {0};
  int code;
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
    is_json |= c == 'j';
    is_once |= c == 'o' || c == 'j';
    q.hides_names |= c == 'h';
    if (c == '?')
      return usage("class watch takes DIR, --json, --once and --hide-names");
  }
  if (optind < argc - 1)
    return usage("class watch takes one DIR");
  struct room *r = open_room(argv[optind], &code);
  if (!r)
    return code;
  struct view *v = view_open(r);
  code = is_once ? show(v, is_json, q) : follow(v, q);
  view_close(v);
  room_close(r);
  return code;
}

int class_main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "--help";
  if (!strcmp(what, "--help") || !strcmp(what, "-h")) {
    printf("%s\n%s", usage_text, help);
    return 0;
  }
  argc--;
  argv++;
  if (!strcmp(what, "new"))
    return make_room(argc, argv);
  if (!strcmp(what, "check"))
    return check(argc, argv);
  if (!strcmp(what, "watch"))
    return watch(argc, argv);
  if (!strcmp(what, "ask"))
    return ask(argc, argv);
  if (!strcmp(what, "join") && argc == 2)
    return join(argv[1]);
  if (!strcmp(what, "leave") && argc == 1)
    return leave();
  return usage(!strcmp(what, "join") ? "class join takes one DIR"
                                     : "class has no such command");
}

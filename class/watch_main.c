// SPDX-License-Identifier: Apache-2.0
// warpshop class watch, pause, resume and show: what an instructor does while a class
// works.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "class/class_main.h"
#include "class/desk.h"
#include "class/queue.h"
#include "class/view.h"
#include "gpu/turnstile/turnstile.h"

// ---- watch ----

static int screen_width(void) {
  struct winsize w;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_col < 72 ? 80 : w.ws_col;
}

static int show(const char *folder, struct view *v, bool is_json,
                struct view_options q) {
  struct err_info e;
  enum err err = view_refresh(v, &e);
  if (err)
    return class_say_error(err, &e);
  q.now_ms = clock_day_ms();
  q.width = screen_width();
  json_t *o = is_json ? view_json(v, &q) : NULL;
  if (is_json) {
    json_object_set_new(o, "gpus", queue_json(v, &q));
    json_object_set_new(o, "paused", json_boolean(pause_is_in(folder)));
  }
  char *text = is_json ? json_dumps(o, JSON_INDENT(2)) : view_text(v, &q);
  char *queues = is_json ? xstrdup("") : queue_text(v, &q);
  printf("%s%s%s", text, queues, is_json ? "\n" : "");
  if (!is_json && pause_is_in(folder))
    printf("\n  the ranked lane is paused; class resume %s lets it go on\n",
           folder);
  fflush(stdout);
  json_decref(o);
  free(text);
  free(queues);
  return 0;
}

// As text: again at each Enter, so that nothing moves while it is read.
static int follow(const char *folder, struct view *v, struct view_options q) {
  char line[80];
  int code;
  do {
    code = show(folder, v, false, q);
    printf("\nEnter looks again; q and Enter, or Ctrl-C, ends this.\n");
    fflush(stdout);
  } while (!code && fgets(line, sizeof line, stdin) && line[0] != 'q');
  return code;
}

// On a screen; where none can be had, as text, and why is said.
static int watch(struct room *r, struct view *v, struct view_options q,
                 bool is_plain) {
  struct desk desk = {.room = r, .view = v, .hides_names = q.hides_names};
  struct err_info e;
  if (is_plain || display_is_unwanted())
    return follow(r->folder, v, q);
  if (display_open(&desk.d, &e)) {
    fprintf(stderr, "warpshop: no screen: %s\n", e.text);
    return follow(r->folder, v, q);
  }
  int code = desk_run(&desk);
  display_close(desk.d);
  return code;
}

int class_watch(int argc, char **argv) {
  static const struct option options[] = {
      {"json", no_argument, NULL, 'j'},
      {"once", no_argument, NULL, 'o'},
      {"plain", no_argument, NULL, 'p'},
      {"hide-names", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  bool is_json = false, is_plain = false;
  bool is_once = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
  struct view_options q = {0};
  int code;
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
    is_json |= c == 'j';
    is_once |= c == 'o' || c == 'j';
    is_plain |= c == 'p';
    q.hides_names |= c == 'h';
    if (c == '?')
      return class_usage(
          "class watch takes DIR, --json, --once, --plain and --hide-names");
  }
  if (optind < argc - 1)
    return class_usage("class watch takes one DIR");
  struct room *r = class_open_room(argv[optind], &code);
  if (!r)
    return code;
  struct view *v = view_open(r);
  code = is_once ? show(r->folder, v, is_json, q) : watch(r, v, q, is_plain);
  view_close(v);
  room_close(r);
  return code;
}

// ---- pause, resume ----

enum err class_set_pause(const struct room *r, bool is_paused,
                         struct err_info *e) {
  int fd = is_paused ? openat(r->fd, PAUSE_FILE,
                              O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644)
                     : unlinkat(r->fd, PAUSE_FILE, 0);
  if (fd >= 0 && is_paused)
    close(fd);
  if (fd >= 0 || (!is_paused && errno == ENOENT))
    return ERR_OK;
  return err_set(e, ERR_IO, "%s/" PAUSE_FILE ": %s; its instructors may",
                 r->folder, strerror(errno));
}

static int set_pause(int argc, char **argv, bool is_paused) {
  int code;
  if (argc > 2)
    return class_usage("class pause and resume take one DIR");
  struct room *r = class_open_room(argc > 1 ? argv[1] : NULL, &code);
  if (!r)
    return code;
  struct err_info e;
  enum err err = class_set_pause(r, is_paused, &e);
  if (err)
    code = class_say_error(err, &e);
  else
    printf("%s\n", is_paused
                       ? "No ranked turn begins until class resume; practice "
                         "goes on."
                       : "Ranked turns go on.");
  room_close(r);
  return code;
}

int class_pause(int argc, char **argv) {
  return set_pause(argc, argv, true);
}

int class_resume(int argc, char **argv) {
  return set_pause(argc, argv, false);
}

// ---- show ----

int class_show(int argc, char **argv) {
  struct err_info e;
  int code;
  if (argc < 3 || argc > 4)
    return class_usage("class show takes DIR, LEARNER and perhaps EXERCISE");
  struct room *r = class_open_room(argv[1], &code);
  if (!r)
    return code;
  uid_t uid;
  struct newest newest = {0};
  enum err err = class_find_learner(r, argv[2], &uid, &e);
  if (!err)
    err = newest_read(r, uid, argc > 3 ? argv[3] : NULL, &newest, &e);
  if (err == ERR_NOT_FOUND && str_starts(e.text, "nothing"))
    err = err_set(&e, ERR_NOT_FOUND, "%.60s has handed nothing in%s%.60s",
                  argv[2], argc > 3 ? " for " : "", argc > 3 ? argv[3] : "");
  if (!err)
    printf("// %s, %s\n%s", newest.path, newest.when, newest.text);
  code = err ? class_say_error(err, &e) : 0;
  newest_free(&newest);
  room_close(r);
  return code;
}

// SPDX-License-Identifier: Apache-2.0
// warpshop class watch, pause, resume and show: what an instructor does while a class
// works.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/str.h"
#include "base/text/text.h"
#include "class/class_main.h"
#include "class/queue.h"
#include "class/submit.h"
#include "class/view.h"
#include "gpu/turnstile/turnstile.h"
#include "grade/command.h"
#include "grade/input/input.h"

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

static volatile sig_atomic_t is_over;

static void stop(int signal) {
  (void)signal;
  is_over = 1;
}

// Again each second, until Ctrl-C or q and Enter.
static int follow(const char *folder, struct view *v, struct view_options q) {
  int code = 0;
  signal(SIGINT, stop);
  while (!code && !is_over) {
    printf(plain_is_wanted() ? "\n" : "\033[H\033[2J");
    code = show(folder, v, false, q);
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

int class_watch(int argc, char **argv) {
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
      return class_usage(
          "class watch takes DIR, --json, --once and --hide-names");
  }
  if (optind < argc - 1)
    return class_usage("class watch takes one DIR");
  struct room *r = class_open_room(argv[optind], &code);
  if (!r)
    return code;
  struct view *v = view_open(r);
  code = is_once ? show(r->folder, v, is_json, q) : follow(r->folder, v, q);
  view_close(v);
  room_close(r);
  return code;
}

// ---- pause, resume ----

static int set_pause(int argc, char **argv, bool is_paused) {
  int code;
  if (argc > 2)
    return class_usage("class pause and resume take one DIR");
  struct room *r = class_open_room(argc > 1 ? argv[1] : NULL, &code);
  if (!r)
    return code;
  int fd = is_paused ? openat(r->fd, PAUSE_FILE,
                              O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644)
                     : unlinkat(r->fd, PAUSE_FILE, 0);
  if (fd >= 0 && is_paused)
    close(fd);
  if (fd < 0 && (is_paused || errno != ENOENT)) {
    struct err_info e;
    code = class_say_error(err_set(&e, ERR_IO,
                                   "%s/" PAUSE_FILE ": %s; its instructors may",
                                   r->folder, strerror(errno)),
                           &e);
  } else {
    printf("%s\n", is_paused
                       ? "No ranked turn begins until class resume; practice "
                         "goes on."
                       : "Ranked turns go on.");
  }
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

// The newest hand-in of a learner, of an exercise or of all.
struct search {
  const struct room *room;
  const char *learner, *exercise;
  char *path; // below the room
  struct timespec time;
};

static bool is_older(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
                                : a->tv_nsec < b->tv_nsec;
}

static void look_into(struct search *s, const char *folder) {
  char *at = xasprintf("%s/hand-in", folder);
  int fd =
      openat(s->room->fd, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *files = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *d; files && (d = readdir(files));) {
    struct receipt_name name;
    struct stat st;
    if (!receipt_parse(d->d_name, &name) ||
        fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
        (s->exercise && strcmp(name.exercise, s->exercise) != 0) ||
        (s->path && is_older(&st.st_ctim, &s->time)))
      continue;
    free(s->path);
    s->path = xasprintf("%s/%s", at, d->d_name);
    s->time = st.st_ctim;
  }
  if (files)
    closedir(files);
  free(at);
}

static void look(void *context, const char *folder, uid_t uid) {
  struct search *s = context;
  const struct passwd *p = getpwuid(uid);
  char number[16];
  snprintf(number, sizeof number, "%u", (unsigned)uid);
  if (!strcmp(number, s->learner) || (p && !strcmp(p->pw_name, s->learner)))
    look_into(s, folder);
}

// What a learner wrote, with nothing in it that a terminal would obey.
static enum err print_source(const struct search *s, struct err_info *e) {
  char *text;
  size_t bytes;
  int fd;
  enum err err = open_beneath(s->room->fd, s->path, &fd, e);
  if (err)
    return err;
  err = file_read_open(fd, s->path, SOURCE_MAX_BYTES, &text, &bytes, e);
  close(fd);
  if (err)
    return err;
  char *clean = text_clean(text, bytes, SOURCE_MAX_BYTES, 1);
  char *when = submit_time(s->time.tv_sec);
  printf("// %s, %s\n%s", s->path, when, clean);
  free(clean);
  free(when);
  free(text);
  return ERR_OK;
}

int class_show(int argc, char **argv) {
  struct err_info e;
  int code;
  if (argc < 3 || argc > 4)
    return class_usage("class show takes DIR, LEARNER and perhaps EXERCISE");
  struct room *r = class_open_room(argv[1], &code);
  if (!r)
    return code;
  struct search s = {r, argv[2], argc > 3 ? argv[3] : NULL, NULL, {0}};
  struct room_walk walk = {.learner = look, .context = &s};
  enum err err = room_walk(r, &walk, &e);
  if (!err && !s.path)
    err = err_set(&e, ERR_NOT_FOUND, "%.60s has handed nothing in%s%.60s",
                  s.learner, s.exercise ? " for " : "",
                  s.exercise ? s.exercise : "");
  if (!err)
    err = print_source(&s, &e);
  code = err ? class_say_error(err, &e) : 0;
  free(s.path);
  room_close(r);
  return code;
}

// SPDX-License-Identifier: Apache-2.0
// Theory of operation: what is watched is the folder, for a save may put another
// file in the place of the one that was there. A file that was closed after
// writing, or moved to the name, is news at once. A change that only a look
// finds (a network's file system, a container's folder) is news when the next
// look finds no other. Where the watch itself is lost, looking is what is left.
#include "repl/watch/follow.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { PLACES = 2, SLOWER = 10 };

struct state {
  bool is_there;
  dev_t device;
  ino_t inode;
  off_t bytes;
  struct timespec written, changed;
};

struct follow {
  char *path;
  int events; // -1: none
  int interval_ms;
  int64_t next_look_ms;
  // The folder of the path and, where that is a link, of what it leads to.
  struct place {
    int watch;
    char *name;
  } places[PLACES];
  int place_count;
  struct state known, seen; // that was news; that the last look found
  bool is_being_written;
};

static int64_t now_ms(void) {
  return (int64_t)(clock_ns() / 1000000);
}

// ---- Opening ----

static void watch_place(struct follow *f, const char *path) {
  enum { MASK = IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_CREATE };
  enum { LOST = IN_DELETE | IN_MOVED_FROM | IN_MOVE_SELF | IN_DELETE_SELF };
  const char *slash = strrchr(path, '/');
  char *folder = !slash          ? xstrdup(".")
                 : slash == path ? xstrdup("/")
                                 : xstrndup(path, (size_t)(slash - path));
  int watch = inotify_add_watch(f->events, folder, MASK | LOST);
  if (watch >= 0)
    f->places[f->place_count++] =
        (struct place){watch, xstrdup(slash ? slash + 1 : path)};
  free(folder);
}

static void stop_events(struct follow *f) {
  if (f->events >= 0)
    close(f->events);
  f->events = -1;
  f->is_being_written = false;
}

static void start_events(struct follow *f) {
  char real[PATH_MAX];
  f->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (f->events < 0)
    return;
  watch_place(f, f->path);
  if (realpath(f->path, real))
    watch_place(f, real); // a folder that is watched twice is so once
  if (!f->place_count)
    stop_events(f);
}

static struct state state_of(const char *path) {
  struct stat st;
  if (stat(path, &st) || !S_ISREG(st.st_mode))
    return (struct state){0};
  return (struct state){true,       st.st_dev,  st.st_ino,
                        st.st_size, st.st_mtim, st.st_ctim};
}

struct follow *follow_open(const char *path, bool polls, int interval_ms) {
  struct follow *f = xcalloc(1, sizeof *f);
  f->path = xstrdup(path);
  f->events = -1;
  f->interval_ms = interval_ms;
  if (!polls)
    start_events(f);
  f->known = f->seen = state_of(path);
  f->next_look_ms = now_ms() + follow_interval_ms(f);
  return f;
}

void follow_close(struct follow *f) {
  if (!f)
    return;
  stop_events(f);
  for (int i = 0; i < f->place_count; i++)
    free(f->places[i].name);
  free(f->path);
  free(f);
}

int follow_fd(const struct follow *f) {
  return f->events;
}

int follow_interval_ms(const struct follow *f) {
  return f->events < 0 ? f->interval_ms : SLOWER * f->interval_ms;
}

// ---- Looking ----

static bool is_alike(const struct state *a, const struct state *b) {
  return a->is_there == b->is_there && a->device == b->device &&
         a->inode == b->inode && a->bytes == b->bytes &&
         a->written.tv_sec == b->written.tv_sec &&
         a->written.tv_nsec == b->written.tv_nsec &&
         a->changed.tv_sec == b->changed.tv_sec &&
         a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool is_ours(const struct follow *f, const struct inotify_event *e) {
  for (int i = 0; i < f->place_count; i++)
    if (e->wd == f->places[i].watch && e->len &&
        !strcmp(e->name, f->places[i].name))
      return true;
  return false;
}

// Whether it was saved by what the event tells.
static bool take_event(struct follow *f, const struct inotify_event *e) {
  // The folder is another one now, or too much happened at once.
  enum { LOST = IN_Q_OVERFLOW | IN_IGNORED | IN_MOVE_SELF | IN_DELETE_SELF };
  if (e->mask & LOST) {
    stop_events(f);
    return false;
  }
  if (!is_ours(f, e))
    return false;
  bool is_saved = e->mask & (IN_CLOSE_WRITE | IN_MOVED_TO);
  f->is_being_written =
      !is_saved && (e->mask & IN_MODIFY || f->is_being_written);
  return is_saved;
}

static bool take_events(struct follow *f) {
  _Alignas(struct inotify_event) char events[4096];
  bool is_saved = false;
  for (ssize_t n;
       f->events >= 0 && (n = read(f->events, events, sizeof events)) > 0;) {
    const struct inotify_event *e;
    for (char *p = events; p < events + n && f->events >= 0;
         p += sizeof *e + e->len) {
      e = (const struct inotify_event *)p;
      is_saved |= take_event(f, e);
    }
  }
  return is_saved;
}

static bool is_time_to_look(struct follow *f) {
  int64_t now = now_ms();
  if (now < f->next_look_ms)
    return false;
  f->next_look_ms = now + follow_interval_ms(f);
  return true;
}

enum follow_news follow_look(struct follow *f) {
  bool is_saved = take_events(f), is_time = is_time_to_look(f);
  struct state now = state_of(f->path);
  bool was_there = f->known.is_there;
  if (!now.is_there) {
    f->known = f->seen = now;
    return was_there ? FOLLOW_GONE : FOLLOW_NOTHING;
  }
  bool has_settled = is_time && !f->is_being_written &&
                     !is_alike(&now, &f->known) && is_alike(&now, &f->seen);
  if (is_time)
    f->seen = now;
  if (!is_saved && !has_settled)
    return FOLLOW_NOTHING;
  f->known = now;
  return FOLLOW_SAVED;
}

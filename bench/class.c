// SPDX-License-Identifier: Apache-2.0
// What a room costs as it grows: so many learners, each a process of a user id of its
// own (as root), write an hour's events, 10 ms apart, while the instructor's view is
// refreshed again and again. A row: learners, events, lost or torn, the time of
// one event's write (median, 99th percentile, longest), how often the view was refreshed
// meanwhile and its longest time, and then of one refresh while everything, nothing and
// one event of each is new: wall and processor time. And behind it what each learner, as
// the user that they are, was refused of the one before.
//   build/bench/class [LEARNERS...]      10 50 200 1000 unless it says otherwise
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/record.h"
#include "class/event.h"
#include "class/view.h"

// One in half a minute, for an hour, which goes by in little more than a second.
enum { EVENTS = 120, BETWEEN_US = 10000, FIRST_UID = 61000 };

static double now_s(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// A learner's hour; `took` gets the seconds of each write. Returns an exit status.
static int live(const char *folder, int i, double *took) {
  struct err_info e;
  struct room *r;
  char *name;
  if (!geteuid() && (setgroups(0, NULL) || setgid(FIRST_UID) ||
                     setuid((uid_t)(FIRST_UID + i))))
    return 1;
  if (room_open(folder, &r, &e) || room_join(r, &name, &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  char *own = xasprintf("%s/%s", r->folder, name);
  struct event_log *log = event_log_open(own);
  int failed = 0;
  for (int k = 0; k < EVENTS; k++) {
    char page[16];
    snprintf(page, sizeof page, "%d", k);
    double from = now_s(CLOCK_MONOTONIC);
    enum event_kind kind = k == 0       ? EVENT_JOIN
                           : k % 4 == 1 ? EVENT_FAIL
                                        : EVENT_PAGE;
    failed |= event_add(log, kind, kind == EVENT_FAIL ? "vector-add" : "04.md",
                        page, kind == EVENT_FAIL ? "oob-write" : "", &e) != 0;
    took[k] = now_s(CLOCK_MONOTONIC) - from;
    usleep(BETWEEN_US);
  }
  event_log_close(log);
  return failed;
}

struct counted {
  long events, odd;
};

static void count_event(void *context, uid_t uid, const struct event *ev) {
  (void)uid, (void)ev;
  ((struct counted *)context)->events++;
}

static void count_odd(void *context, const char *text) {
  fprintf(stderr, "odd: %s\n", text);
  ((struct counted *)context)->odd++;
}

struct cost {
  double wall_s, cpu_s;
};

static struct cost refresh(struct view *v) {
  struct err_info e;
  double wall = now_s(CLOCK_MONOTONIC), cpu = now_s(CLOCK_PROCESS_CPUTIME_ID);
  struct view_options q = {(int64_t)time(NULL) * 1000, false, 80};
  if (view_refresh(v, &e))
    fprintf(stderr, "%s\n", e.text);
  free(view_text(v, &q));
  return (struct cost){now_s(CLOCK_MONOTONIC) - wall,
                       now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

// ---- What another user may read ----

struct trial {
  const char *what; // with the room, the learner's folder, a session's file
  long tried, refused;
};

static struct trial trials[] = {
    {"ls ROOM", 0, 0},
    {"ls ROOM/LEARNER", 0, 0},
    {"ls ROOM/LEARNER/events", 0, 0},
    {"ls ROOM/LEARNER/hand-in", 0, 0},
    {"cat ROOM/LEARNER/events/SESSION", 0, 0},
    {"write to ROOM/LEARNER/events/SESSION", 0, 0},
    {"make a file in ROOM/LEARNER", 0, 0},
    {"rename ROOM/LEARNER", 0, 0},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static bool can(int k, const char *room, const char *own, const char *file) {
  static const char *const below[] = {"", "", "/events", "/hand-in"};
  char *path = xasprintf("%s%s%s", k ? own : room, k < 4 ? below[k] : "",
                         k == 6 ? "/x" : "");
  char *to = xasprintf("%s.gone", own);
  int fd = k < 4    ? open(path, O_RDONLY | O_DIRECTORY)
           : k == 4 ? open(file, O_RDONLY)
           : k == 5 ? open(file, O_WRONLY | O_APPEND)
           : k == 6 ? open(path, O_WRONLY | O_CREAT, 0600)
                    : rename(own, to);
  free(path);
  free(to);
  return fd >= 0;
}

static void try_one(void *context, const char *name, uid_t uid) {
  const struct room *r = context;
  char *own = xasprintf("%s/%s", r->folder, name), *file = NULL;
  char *events = xasprintf("%s/events", own);
  DIR *d = opendir(events);
  for (struct dirent *one; d && (one = readdir(d));)
    if (one->d_name[0] != '.') {
      free(file);
      file = xasprintf("%s/%s", events, one->d_name);
    }
  if (d)
    closedir(d);
  // As the next learner, who knows every name.
  uid_t other = uid + 1;
  if (file && !seteuid(other)) {
    for (int k = 0; k < TRIALS; k++) {
      trials[k].tried++;
      trials[k].refused += !can(k, r->folder, own, file);
    }
    if (seteuid(0))
      exit(2);
  }
  free(own);
  free(file);
  free(events);
}

// One more event of each, as if all had done something in this second.
static void add_one(void *context, const char *name, uid_t uid) {
  const struct room *r = context;
  struct str line = STR_INIT;
  char *events = xasprintf("%s/%s/events", r->folder, name), *payload;
  DIR *d = opendir(events);
  (void)uid;
  payload = xasprintf("{\"ms\":%lld,\"kind\":\"hint\",\"what\":\"vector-add\"}",
                      (long long)time(NULL) * 1000);
  record_make(&line, payload, strlen(payload));
  for (struct dirent *one; d && (one = readdir(d));) {
    int fd = one->d_name[0] == '.'
                 ? -1
                 : openat(dirfd(d), one->d_name, O_WRONLY | O_APPEND);
    if (fd >= 0 && write(fd, line.data, line.len) != (ssize_t)line.len)
      exit(2);
    if (fd >= 0)
      close(fd);
  }
  if (d)
    closedir(d);
  str_free(&line);
  free(payload);
  free(events);
}

static struct cost refresh_after_one(struct view *v, struct room *r) {
  struct room_walk walk = {.learner = add_one, .context = r};
  struct err_info e;
  if (room_walk(r, &walk, &e))
    fprintf(stderr, "%s\n", e.text);
  return refresh(v);
}

// How many were not refused.
static long try_reading(struct room *r) {
  struct room_walk walk = {.learner = try_one, .context = r};
  struct err_info e;
  long allowed = 0;
  if (geteuid() || setgroups(0, NULL) || setegid(FIRST_UID) ||
      room_walk(r, &walk, &e) || setegid(0))
    return -1; // other users need root
  for (int k = 0; k < TRIALS; k++)
    allowed += trials[k].tried - trials[k].refused;
  return allowed;
}

static void print_trials(void) {
  puts("\nTried in each learner's name by the next one, who knows every "
       "path:\n\n"
       "| tried | times | refused |\n|---|---|---|");
  for (int k = 0; k < TRIALS; k++)
    printf("| %s | %ld | %ld |\n", trials[k].what, trials[k].tried,
           trials[k].refused);
}

struct meanwhile {
  int failed, refreshes; // learners that failed
  struct cost longest;
};

// Refreshes the view until all learners have left.
static struct meanwhile refresh_meanwhile(struct room *r) {
  struct meanwhile m = {0};
  struct view *v = view_open(r);
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) >= 0;) {
    m.failed += pid > 0 && status != 0;
    if (pid > 0)
      continue;
    struct cost c = refresh(v);
    m.refreshes++;
    if (c.wall_s > m.longest.wall_s)
      m.longest = c;
  }
  view_close(v);
  return m;
}

static int measure(const char *folder, int learners) {
  char *room_path = xasprintf("%s/room-%d", folder, learners);
  const struct group *g = getgrgid(getegid());
  struct room_new q = {room_path, g ? g->gr_name : "root", NULL, 0};
  struct err_info e;
  struct room *r;
  size_t bytes = sizeof(double) * EVENTS * (size_t)learners;
  double *took = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room_new(&q, &e) || room_open(room_path, &r, &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  fflush(NULL);
  for (int i = 0; i < learners; i++)
    if (!fork())
      _exit(live(room_path, i, took + (size_t)i * EVENTS));
  struct meanwhile m = refresh_meanwhile(r);
  struct counted c = {0};
  struct event_source to = {count_event, count_odd, &c};
  struct event_reader *reader = event_reader_open(r);
  event_read(reader, &to, &e);
  event_reader_close(reader);
  struct view *v = view_open(r);
  struct cost all = refresh(v), none = refresh(v);
  struct cost one = refresh_after_one(v, r);
  view_close(v);
  long allowed = try_reading(r);
  room_close(r);
  size_t count = (size_t)learners * EVENTS;
  median_sort(took, count);
  printf("| %d | %zu | %ld | %.3f | %.3f | %.1f | %d, %.1f / %.1f | "
         "%.1f / %.1f | %.1f / %.1f | %.1f / %.1f |\n",
         learners, count, (long)count - c.events + c.odd, took[count / 2] * 1e3,
         took[count * 99 / 100] * 1e3, took[count - 1] * 1e3, m.refreshes,
         m.longest.wall_s * 1e3, m.longest.cpu_s * 1e3, all.wall_s * 1e3,
         all.cpu_s * 1e3, none.wall_s * 1e3, none.cpu_s * 1e3, one.wall_s * 1e3,
         one.cpu_s * 1e3);
  fflush(stdout);
  munmap(took, bytes);
  free(room_path);
  return m.failed > 0 || c.events != (long)count || c.odd > 0 || allowed > 0;
}

int main(int argc, char **argv) {
  static const int usual[] = {10, 50, 200, 1000};
  char folder[] = "/tmp/warpshop-class-XXXXXX";
  int failed = 0;
  if (!mkdtemp(folder) || chmod(folder, 0755))
    return 2;
  puts(
      "| learners | events | lost or torn | write, median ms | 99 % | longest "
      "| refreshed meanwhile, longest: wall / processor ms | all new | nothing "
      "new | one of each new |\n"
      "|---|---|---|---|---|---|---|---|---|---|");
  for (int i = 1; i < argc; i++)
    failed |= measure(folder, atoi(argv[i]));
  for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; i++)
    failed |= measure(folder, usual[i]);
  print_trials();
  char *command = xasprintf("rm -rf %s", folder);
  failed |= system(command) != 0;
  free(command);
  return failed;
}

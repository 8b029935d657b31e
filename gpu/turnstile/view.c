// SPDX-License-Identifier: Apache-2.0
// The queues of a machine, for who looks at them: nothing is made or changed.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/turnstile/ticket.h"
#include "gpu/turnstile/turnstile.h"

enum { MAX_TICKETS = 4096 };

struct viewed {
  struct ticket_found *found;
  struct turn_entrant *entrants;
  int count;
};

static void show_one(const struct viewed *v, int i, struct turn_rules rules,
                     struct turnstile_ticket *one,
                     const struct turnstile_viewer *to) {
  const struct ticket *t = &v->found[i].ticket;
  struct turn_standing at = {0};
  one->uid = v->found[i].uid;
  one->pid = (pid_t)t->pid;
  one->lane = v->entrants[i].lane;
  one->state = v->entrants[i].state;
  one->since_ns = t->since_ns;
  one->used_ns = v->entrants[i].used_ns;
  one->memory_bytes = t->memory_bytes;
  if (one->state == TURN_WAITING)
    turn_stand(v->entrants, v->count, i, rules, clock_ns(), &at);
  one->place = at.place;
  one->wait_s = at.wait_s;
  to->ticket(to->context, one);
}

static void view_gpu(int root, const char *gpu, struct viewed *v,
                     const struct turnstile_viewer *to) {
  struct queue q;
  if (!queue_look(root, gpu, &q))
    return;
  v->count = ticket_read_all(&q, NULL, v->found, MAX_TICKETS);
  for (int i = 0; i < v->count; i++)
    v->entrants[i] =
        ticket_entrant(&v->found[i].ticket, v->found[i].uid, clock_ns());
  to->gpu(to->context, gpu, sick_server(&q));
  struct turnstile_ticket one = {.gpu = gpu};
  for (int i = 0; i < v->count; i++)
    if (v->found[i].ticket.is_used)
      show_one(v, i, q.rules, &one, to);
  queue_close(&q);
}

enum err turnstile_view(const char *root, const struct turnstile_viewer *to,
                        struct err_info *e) {
  int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int again = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = again < 0 ? NULL : fdopendir(again);
  if (!folder) {
    err_set(e, ERR_NOT_FOUND, "%s: %s", root, strerror(errno));
    if (fd >= 0)
      close(fd);
    return ERR_NOT_FOUND;
  }
  struct viewed v = {xcalloc(MAX_TICKETS, sizeof *v.found),
                     xcalloc(MAX_TICKETS, sizeof *v.entrants), 0};
  for (struct dirent *d; (d = readdir(folder));)
    if (d->d_name[0] != '.' && strcmp(d->d_name, "settings") != 0)
      view_gpu(fd, d->d_name, &v, to);
  free(v.found);
  free(v.entrants);
  closedir(folder);
  close(fd);
  return ERR_OK;
}

// ---- One process ----

// The user that a process runs as; -1: there is none.
static int64_t owner_of(pid_t pid) {
  struct stat st;
  char path[32];
  snprintf(path, sizeof path, "/proc/%d", (int)pid);
  return stat(path, &st) ? -1 : (int64_t)st.st_uid;
}

bool turnstile_has(const char *root, const char *gpu, pid_t pid) {
  struct queue q;
  int64_t owner = owner_of(pid);
  int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  bool is_open = fd >= 0 && queue_look(fd, gpu, &q), is_there = false;
  if (is_open) {
    struct ticket_found one;
    ticket_rewind(&q);
    while (!is_there && ticket_next(&q, NULL, &one))
      is_there = one.ticket.is_used && (pid_t)one.ticket.pid == pid &&
                 one.uid == owner;
    queue_close(&q);
  }
  if (fd >= 0)
    close(fd);
  return is_there;
}

// ---- Choosing ----

struct choice {
  const char *const *gpus;
  int count, now; // `now`: which one the tickets that come are of; -1: none
  int *programs;
};

static void count_gpu(void *context, const char *gpu, pid_t sick) {
  struct choice *c = context;
  c->now = -1;
  for (int i = 0; i < c->count; i++)
    if (!strcmp(c->gpus[i], gpu))
      c->now = i;
  if (c->now >= 0 && sick)
    c->programs[c->now] += MAX_TICKETS;
}

static void count_program(void *context, const struct turnstile_ticket *t) {
  struct choice *c = context;
  (void)t;
  if (c->now >= 0)
    c->programs[c->now]++;
}

int turnstile_choose(const char *root, const char *const *gpus, int count) {
  struct choice c = {gpus, count, -1, xcalloc((size_t)count + 1, sizeof(int))};
  struct turnstile_viewer to = {count_gpu, count_program, &c};
  struct err_info e;
  int from = getpid() % count, best = from;
  turnstile_view(root, &to, &e); // no folder: nobody is anywhere
  for (int k = 0; k < count; k++) {
    int i = (from + k) % count;
    if (c.programs[i] < c.programs[best])
      best = i;
  }
  free(c.programs);
  return best;
}

// ---- MPS ----

// The daemon's pipes lie in a folder, /tmp/nvidia-mps unless it is named (NVIDIA,
// "Multi-Process Service", environment variables).
bool turnstile_has_mps(void) {
  const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
  struct stat st;
  char *path = xasprintf("%s/control", folder ? folder : "/tmp/nvidia-mps");
  bool is_there = !stat(path, &st);
  free(path);
  return is_there;
}

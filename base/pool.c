// SPDX-License-Identifier: Apache-2.0
// A parent that hands out numbers of tasks, and children that answer with texts,
// one pair of sockets each.
#include "base/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "base/wire.h"

enum { MAX_JOBS = 64 };

struct worker {
  pid_t pid;
  int fd;   // -1: it is gone
  int task; // that it works on; -1: none
};

struct pool {
  const struct pool_work *w;
  struct worker workers[MAX_JOBS];
  int worker_count;
  int next; // task that nobody has
};

// ---- In a child ----

static void work(const struct pool_work *w, int fd) {
  void *own = w->begin ? w->begin(w->context) : NULL;
  int task;
  bool is_heard = true;
  while (is_heard && wire_read(fd, &task, sizeof task)) {
    char *answer = w->run(w->context, own, task);
    uint64_t bytes = strlen(answer);
    is_heard = wire_write(fd, &bytes, sizeof bytes) &&
               wire_write(fd, answer, (size_t)bytes);
    free(answer);
  }
  if (w->end)
    w->end(w->context, own);
}

// ---- Here ----

pid_t pool_child(void) {
  fflush(NULL); // or both would write what waits
  pid_t parent = getpid(), pid = fork();
  // Nobody would read what it finds out.
  if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
    _exit(1);
  return pid;
}

static bool start(struct pool *p, struct worker *k) {
  int pair[2];
  *k = (struct worker){-1, -1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
    return false;
  k->pid = pool_child();
  if (!k->pid) {
    for (int i = 0; i < p->worker_count; i++)
      close(p->workers[i].fd); // or none would see its parent end
    close(pair[0]);
    work(p->w, pair[1]);
    _exit(0);
  }
  close(pair[1]);
  if (k->pid > 0)
    k->fd = pair[0];
  else
    close(pair[0]);
  return k->pid > 0;
}

static void stop(struct worker *k) {
  close(k->fd);
  process_wait(k->pid);
  k->fd = -1;
}

// The next task; without one the worker ends.
static void hand_out(struct pool *p, struct worker *k) {
  k->task = -1;
  if (p->next >= p->w->count) {
    stop(k);
    return;
  }
  k->task = p->next++;
  if (!wire_write(k->fd, &k->task, sizeof k->task)) {
    p->w->done(p->w->context, k->task, NULL);
    stop(k);
  }
}

// A worker that died over its task makes room for another.
static void replace(struct pool *p, struct worker *k) {
  int task = k->task;
  stop(k);
  p->w->done(p->w->context, task, NULL);
  if (p->next < p->w->count && start(p, k))
    hand_out(p, k);
}

static void take_answer(struct pool *p, struct worker *k) {
  uint64_t bytes;
  char *answer = NULL;
  if (!wire_read(k->fd, &bytes, sizeof bytes) ||
      !(answer = try_malloc((size_t)bytes + 1)) ||
      !wire_read(k->fd, answer, (size_t)bytes)) {
    free(answer);
    replace(p, k);
    return;
  }
  answer[bytes] = 0;
  p->w->done(p->w->context, k->task, answer);
  free(answer);
  hand_out(p, k);
}

static int wait_for_answers(struct pool *p) {
  struct pollfd polls[MAX_JOBS];
  int alive = 0;
  for (int i = 0; i < p->worker_count; i++) {
    polls[i] = (struct pollfd){p->workers[i].fd, POLLIN, 0};
    alive += p->workers[i].fd >= 0;
  }
  if (!alive)
    return 0;
  int ready = poll(polls, (nfds_t)p->worker_count, -1);
  for (int i = 0; i < p->worker_count && ready > 0; i++)
    if (polls[i].revents)
      take_answer(p, &p->workers[i]);
  return alive;
}

enum err pool_run(const struct pool_work *w, struct err_info *e) {
  struct pool p = {.w = w};
  int jobs = w->jobs < 1 ? 1 : w->jobs > MAX_JOBS ? MAX_JOBS : w->jobs;
  for (int i = 0; i < jobs && i < w->count; i++) {
    if (!start(&p, &p.workers[i]))
      break;
    p.worker_count++;
  }
  if (!p.worker_count && w->count)
    return err_set(e, ERR_IO, "no process could be started: %s",
                   strerror(errno));
  for (int i = 0; i < p.worker_count; i++)
    hand_out(&p, &p.workers[i]);
  while (wait_for_answers(&p))
    ;
  for (; p.next < w->count; p.next++) // all of them died
    w->done(w->context, p.next, NULL);
  return ERR_OK;
}

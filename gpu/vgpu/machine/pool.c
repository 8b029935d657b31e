// SPDX-License-Identifier: Apache-2.0
// Theory of operation. Threads are made when a launch first wants them and
// wait for the next one until the device is closed. Each is pinned to one core
// of those that the process may use, so that the memory that it touched stays
// near it. The device's own thread works, too, and is free to go wherever there
// is room: counting starts behind the core that it is on, so that many
// processes on one machine do not all sit on the first cores.
#include "gpu/vgpu/machine/machine.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum { MAX_THREADS = 64 };

struct vg_pool {
  pthread_mutex_t lock;
  pthread_cond_t wake, idle;
  pthread_t threads[MAX_THREADS];
  int count;
  int wanted;  // threads that are to begin with `work`
  int running; // those, and those that have begun
  void *(*work)(void *arg);
  void *arg;
  bool is_closing;
};

// Cores' worth of time that the control group may use; 0: as many as it likes.
static int group_limit(void) {
  FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
  long quota, period;
  int n = f && fscanf(f, "%ld %ld", &quota, &period) == 2 && period > 0
              ? (int)((quota + period - 1) / period)
              : 0;
  if (f)
    fclose(f);
  return n;
}

int vg_pool_cores(void) {
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  int limit = group_limit();
  return limit > 0 && limit < n ? limit : n;
}

// The n-th core behind the one that runs this. Where it cannot be had the
// thread stays unpinned.
static void pin(pthread_t thread, int n) {
  cpu_set_t mine, one;
  int core = sched_getcpu();
  if (core < 0 || sched_getaffinity(0, sizeof mine, &mine) ||
      CPU_COUNT(&mine) < 2)
    return;
  for (int left = n % CPU_COUNT(&mine); left > 0;) {
    core = (core + 1) % CPU_SETSIZE;
    left -= CPU_ISSET((size_t)core, &mine) ? 1 : 0;
  }
  CPU_ZERO(&one);
  CPU_SET((size_t)core, &one);
  pthread_setaffinity_np(thread, sizeof one, &one);
}

static void *run_thread(void *arg) {
  struct vg_pool *p = arg;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (!p->wanted && !p->is_closing)
      pthread_cond_wait(&p->wake, &p->lock);
    if (p->is_closing)
      break;
    p->wanted--;
    pthread_mutex_unlock(&p->lock);
    p->work(p->arg);
    pthread_mutex_lock(&p->lock);
    if (--p->running == 0)
      pthread_cond_signal(&p->idle);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

struct vg_pool *vg_pool_new(void) {
  struct vg_pool *p = xcalloc(1, sizeof *p);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->idle, NULL);
  return p;
}

void vg_pool_free(struct vg_pool *p) {
  if (!p)
    return;
  pthread_mutex_lock(&p->lock);
  p->is_closing = true;
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
  for (int n = 0; n < p->count; n++)
    pthread_join(p->threads[n], NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->wake);
  pthread_cond_destroy(&p->idle);
  free(p);
}

static void grow(struct vg_pool *p, int count) {
  count = count < MAX_THREADS ? count : MAX_THREADS;
  while (p->count < count &&
         !pthread_create(&p->threads[p->count], NULL, run_thread, p)) {
    pin(p->threads[p->count], p->count + 1);
    p->count++;
  }
}

void vg_pool_run(struct vg_pool *p, int helpers, void *(*work)(void *arg),
                 void *arg) {
  grow(p, helpers);
  pthread_mutex_lock(&p->lock);
  p->work = work;
  p->arg = arg;
  p->wanted = p->running = helpers < p->count ? helpers : p->count;
  for (int n = 0; n < p->wanted; n++)
    pthread_cond_signal(&p->wake);
  pthread_mutex_unlock(&p->lock);
  work(arg);
  pthread_mutex_lock(&p->lock);
  p->running -= p->wanted;
  p->wanted = 0;
  while (p->running)
    pthread_cond_wait(&p->idle, &p->lock);
  pthread_mutex_unlock(&p->lock);
}

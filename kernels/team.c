// SPDX-License-Identifier: Apache-2.0
// A team of threads: a round begins when its number goes up, and ends when
// nobody is left in it.
#include "kernels/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

struct kernel_team {
  pthread_mutex_t lock;
  pthread_cond_t begins, ends;
  uint64_t round;
  int busy; // threads that have not ended this round
  bool is_over;
  void (*part)(void *context, int number, int parts);
  void *context;
  int count; // threads, the caller's own among them
  struct member {
    struct kernel_team *team;
    pthread_t thread;
    int number;
  } * members; // count - 1
};

static void *work(void *context) {
  struct member *m = context;
  struct kernel_team *t = m->team;
  uint64_t seen = 0;
  pthread_mutex_lock(&t->lock);
  for (;;) {
    while (t->round == seen && !t->is_over)
      pthread_cond_wait(&t->begins, &t->lock);
    if (t->is_over)
      break;
    seen = t->round;
    pthread_mutex_unlock(&t->lock);
    t->part(t->context, m->number, t->count);
    pthread_mutex_lock(&t->lock);
    if (--t->busy == 0)
      pthread_cond_signal(&t->ends);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

struct kernel_team *kernel_team_new(int most) {
  struct kernel_team *t = xcalloc(1, sizeof *t);
  int wanted = processors();
  wanted = wanted < most ? wanted : most;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->begins, NULL);
  pthread_cond_init(&t->ends, NULL);
  t->members = xcalloc((size_t)wanted, sizeof *t->members);
  for (t->count = 1; t->count < wanted; t->count++) {
    struct member *m = &t->members[t->count - 1];
    *m = (struct member){.team = t, .number = t->count};
    if (pthread_create(&m->thread, NULL, work, m))
      break;
  }
  return t;
}

void kernel_team_free(struct kernel_team *t) {
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  t->is_over = true;
  pthread_cond_broadcast(&t->begins);
  pthread_mutex_unlock(&t->lock);
  for (int n = 0; n < t->count - 1; n++)
    pthread_join(t->members[n].thread, NULL);
  pthread_cond_destroy(&t->begins);
  pthread_cond_destroy(&t->ends);
  pthread_mutex_destroy(&t->lock);
  free(t->members);
  free(t);
}

int kernel_team_size(const struct kernel_team *t) {
  return t->count;
}

void kernel_team_run(struct kernel_team *t,
                     void (*part)(void *context, int number, int parts),
                     void *context) {
  pthread_mutex_lock(&t->lock);
  t->part = part;
  t->context = context;
  t->busy = t->count - 1;
  t->round++;
  if (t->busy)
    pthread_cond_broadcast(&t->begins);
  pthread_mutex_unlock(&t->lock);
  part(context, 0, t->count);
  pthread_mutex_lock(&t->lock);
  while (t->busy)
    pthread_cond_wait(&t->ends, &t->lock);
  pthread_mutex_unlock(&t->lock);
}

int64_t kernel_team_from(int64_t count, int number, int parts) {
  enum { LINE = 16 }; // floats of 64 bytes: no two threads share a line
  int64_t lines = (count + LINE - 1) / LINE;
  int64_t from = lines * number / parts * LINE;
  return from < count ? from : count;
}

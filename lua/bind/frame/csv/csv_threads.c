// SPDX-License-Identifier: Apache-2.0
// Threads that take the blocks one by one, each with its room for a block's text.
// What a thread reads is parsed while it lies in the processor's cache; so the
// text of a file, unless it is small, is never whole in memory.
#include "lua/bind/frame/csv/csv_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lua/bind/frame/csv/csv_file.h"

int csv_threads(const struct csv *c, int64_t most) {
  int64_t threads = c->options.threads;
  if (threads <= 0)
    threads = sysconf(_SC_NPROCESSORS_ONLN);
  most = most < CSV_MOST_THREADS ? most : CSV_MOST_THREADS;
  threads = threads < most ? threads : most;
  return threads > 1 ? (int)threads : 1;
}

int64_t csv_take_block(struct csv *c) {
  return csv_take_one(c, c->block_count);
}

int64_t csv_take_one(struct csv *c, int64_t count) {
  if (atomic_load(&c->stop))
    return -1;
  struct err_info e;
  enum err err = csv_go_on(c, &e);
  if (err)
    csv_stop(c, err, &e);
  int64_t i = atomic_fetch_add(&c->next_block, 1);
  return err || i >= count ? -1 : i;
}

void csv_stop(struct csv *c, enum err err, const struct err_info *e) {
  pthread_mutex_lock(&c->lock);
  if (!atomic_load(&c->stop)) {
    c->error = *e;
    atomic_store(&c->stop, (int)err);
  }
  pthread_mutex_unlock(&c->lock);
}

struct job {
  struct csv_worker *worker;
  void (*work)(struct csv_worker *w);
};

static void *run_job(void *context) {
  struct job *job = context;
  job->work(job->worker);
  return NULL;
}

enum err csv_run(struct csv *c, int threads, void (*work)(struct csv_worker *w),
                 struct err_info *e) {
  struct job jobs[CSV_MOST_THREADS];
  atomic_store(&c->next_block, 0);
  atomic_store(&c->stop, ERR_OK);
  for (int i = 0; i < threads; i++) {
    struct csv_worker *w = &c->workers[i];
    w->csv = c;
    w->index = i;
    jobs[i] = (struct job){w, work};
    w->is_started =
        i > 0 && !pthread_create(&w->thread, NULL, run_job, &jobs[i]);
  }
  work(&c->workers[0]);
  for (int i = 1; i < threads; i++)
    if (c->workers[i].is_started)
      pthread_join(c->workers[i].thread, NULL);
  enum err err = (enum err)atomic_load(&c->stop);
  if (err && e)
    *e = c->error;
  return err ? err : csv_go_on(c, e);
}

static bool make_room(struct csv_worker *w, size_t n) {
  if (w->room_bytes >= n + CSV_PADDING)
    return true;
  size_t bytes = n + n / 4 + CSV_PADDING;
  free(w->room);
  w->room = malloc(bytes);
  w->room_bytes = w->room ? bytes : 0;
  return w->room;
}

static enum err read_text(struct csv_worker *w, int64_t from, size_t n,
                          size_t *got, struct err_info *e) {
  struct csv *c = w->csv;
  if (!make_room(w, n))
    return csv_no_memory(c, e);
  for (*got = 0; *got < n;) {
    ssize_t part =
        pread(c->fd, w->room + *got, n - *got, (off_t)(from + (int64_t)*got));
    if (part < 0 && errno != EINTR)
      return csv_io_error(c, e);
    if (part == 0)
      break;
    *got += part > 0 ? (size_t)part : 0;
  }
  memset(w->room + *got, '\n', CSV_PADDING);
  return ERR_OK;
}

const char *csv_block_text(struct csv_worker *w, int64_t from, int64_t to,
                           size_t *n) {
  struct csv *c = w->csv;
  to = to < c->size ? to : c->size;
  if (c->is_ended) {
    *n = (size_t)(to - from);
    return c->buffer + from;
  }
  struct err_info e;
  enum err err = read_text(w, from, (size_t)(to - from), n, &e);
  if (err)
    csv_stop(c, err, &e);
  return err ? NULL : w->room;
}

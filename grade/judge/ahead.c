// SPDX-License-Identifier: Apache-2.0
// A process for each problem, which leaves it in a file in memory: this one maps
// it, and copies nothing. What is drawn depends on the number alone, not on how
// many processes there are.
#include "grade/judge/ahead.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/memory_left.h"
#include "base/pool.h"
#include "base/process.h"

enum {
  MOST_JOBS = 16,
  ALIGN = 64,
  // What a process needs at most, by what it leaves: the numbers as Lua has them
  // take twice the bytes of both, and both are there twice for a moment.
  MEMORY_FACTOR = 4,
  FIRST_BYTES = 1 << 30, // before one is known
};

struct drawing {
  pid_t pid;
  int file;
};

struct ahead {
  struct ahead_source s;
  struct drawing ring[MOST_JOBS]; // by number
  int jobs, taken, begun;
  void *mapped; // the problem that was taken last
  size_t mapped_bytes;
};

// What stands at the head of such a file; the arrays follow, each on a cache line.
struct head {
  struct err_info why; // code ERR_OK: it is drawn
  struct problem problem;
};

struct array {
  void **data;
  size_t bytes;
};

// The arrays of a problem, in an order of their own.
static int list_arrays(const struct exercise *ex, struct problem *p,
                       struct array *out) {
  struct case_input *inputs[] = {&p->in, &p->want};
  int count = 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < inputs[k]->arg_count; i++)
      if (inputs[k]->args[i].data)
        out[count++] = (struct array){&inputs[k]->args[i].data,
                                      inputs[k]->args[i].count *
                                          dtype_bytes(ex->params[i].dtype)};
  return count;
}

static size_t aligned(size_t bytes) {
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

// ---- In a child ----

static bool leave(const struct ahead_source *s, struct head *h, FILE *f) {
  struct array arrays[2 * EXERCISE_MAX_PARAMS];
  size_t at = aligned(sizeof *h);
  bool is_whole = fwrite(h, sizeof *h, 1, f) == 1;
  int count = h->why.code ? 0 : list_arrays(s->ex, &h->problem, arrays);
  for (int i = 0; is_whole && i < count; at += aligned(arrays[i++].bytes))
    is_whole = !fseek(f, (long)at, SEEK_SET) &&
               fwrite(*arrays[i].data, arrays[i].bytes, 1, f) == 1;
  return !fclose(f) && is_whole;
}

_Noreturn static void draw(const struct ahead_source *s, int number, int file) {
  struct head *h = xcalloc(1, sizeof *h);
  FILE *f = fdopen(file, "w");
  h->why.code = s->draw(s->context, number, &h->problem, &h->why);
  _exit(!f || !leave(s, h, f));
}

// ---- Here ----

static void begin(struct ahead *a) {
  struct drawing *d = &a->ring[a->begun % MOST_JOBS];
  d->file = memfd_create("problem", MFD_CLOEXEC);
  d->pid = d->file < 0 ? -1 : pool_child();
  if (!d->pid)
    draw(&a->s, a->begun, d->file);
  a->begun++;
}

// How many at once: as many as there are processors, and memory for.
static int count_jobs(const struct ahead *a) {
  long jobs = sysconf(_SC_NPROCESSORS_ONLN);
  size_t bytes = a->mapped ? a->mapped_bytes : FIRST_BYTES;
  uint64_t room = memory_left() / 2 / (MEMORY_FACTOR * bytes);
  if (jobs > MOST_JOBS)
    jobs = MOST_JOBS;
  if (jobs > (long)room)
    jobs = (long)room;
  return jobs < 1 ? 1 : (int)jobs;
}

struct ahead *ahead_open(const struct ahead_source *s) {
  struct ahead *a = xcalloc(1, sizeof *a);
  a->s = *s;
  return a;
}

static void release(struct ahead *a) {
  if (a->mapped)
    munmap(a->mapped, a->mapped_bytes);
  a->mapped = NULL;
}

static enum err map(struct ahead *a, int file, struct err_info *e) {
  struct stat st;
  if (fstat(file, &st) || (size_t)st.st_size < sizeof(struct head))
    return err_set(e, ERR_IO, "the inputs that were drawn are not whole");
  // Of one's own, so that pointers can be put in.
  void *at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE,
                  file, 0);
  if (at == MAP_FAILED)
    return err_set(e, ERR_NOMEM, "no memory for inputs of %lld bytes",
                   (long long)st.st_size);
  a->mapped = at;
  a->mapped_bytes = (size_t)st.st_size;
  return ERR_OK;
}

static enum err collect(struct ahead *a, struct drawing *d,
                        struct err_info *e) {
  if (d->pid < 0)
    return err_set(e, ERR_IO, "no process to draw inputs could be started");
  if (process_wait(d->pid))
    return err_set(e, ERR_NOMEM,
                   "the process that draws inputs died, perhaps for want of "
                   "memory");
  return map(a, d->file, e);
}

enum err ahead_take(struct ahead *a, struct problem *p, struct err_info *e) {
  int jobs = count_jobs(a);
  release(a);
  while (a->begun - a->taken < jobs)
    begin(a);
  struct drawing *d = &a->ring[a->taken++ % MOST_JOBS];
  enum err err = collect(a, d, e);
  if (d->file >= 0)
    close(d->file);
  if (err)
    return err;
  struct head *h = a->mapped;
  if (h->why.code) {
    *e = h->why;
    return e->code;
  }
  struct array arrays[2 * EXERCISE_MAX_PARAMS];
  char *at = (char *)a->mapped + aligned(sizeof *h);
  int count = list_arrays(a->s.ex, &h->problem, arrays);
  for (int i = 0; i < count; at += aligned(arrays[i++].bytes))
    *arrays[i].data = at;
  *p = h->problem;
  return ERR_OK;
}

void ahead_close(struct ahead *a) {
  release(a);
  for (; a->taken < a->begun; a->taken++) {
    struct drawing *d = &a->ring[a->taken % MOST_JOBS];
    if (d->pid > 0 && !kill(d->pid, SIGKILL))
      process_wait(d->pid);
    if (d->file >= 0)
      close(d->file);
  }
  free(a);
}

// SPDX-License-Identifier: Apache-2.0
// Host memory: allocation that aborts, and allocation that may fail.
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#  define MADV_POPULATE_WRITE 23 // Linux 5.14
#endif

static mem_fatal_hook *fatal_hook;
static long fail_after;

mem_fatal_hook *mem_set_fatal_hook(mem_fatal_hook *hook) {
  mem_fatal_hook *before = fatal_hook;
  fatal_hook = hook;
  return before;
}

void mem_fail_after(long n) {
  fail_after = n;
}

static void *or_die(void *p) {
  if (p)
    return p;
  if (fatal_hook)
    fatal_hook();
  fputs("warpshop: out of memory\n", stderr);
  abort();
}

void *xmalloc(size_t bytes) {
  return or_die(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t count, size_t bytes) {
  return or_die(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *xrealloc(void *p, size_t bytes) {
  return or_die(realloc(p, bytes ? bytes : 1));
}

static char *copy_text(const char *s, size_t bytes) {
  char *copy = xmalloc(bytes + 1);
  memcpy(copy, s, bytes);
  copy[bytes] = 0;
  return copy;
}

char *xstrndup(const char *s, size_t max_bytes) {
  return copy_text(s, strnlen(s, max_bytes));
}

char *xstrdup(const char *s) {
  return copy_text(s, strlen(s));
}

char *xasprintf(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *s = xmalloc((size_t)n + 1);
  va_start(ap, fmt);
  vsnprintf(s, (size_t)n + 1, fmt, ap);
  va_end(ap);
  return s;
}

void mem_ask_for_huge_pages(void *p, size_t bytes) {
  enum { LEAST = 8 << 20, PAGE = 2 << 20 };
  if (!p || bytes < LEAST)
    return;
  uintptr_t from = ((uintptr_t)p + PAGE - 1) / PAGE * PAGE;
  uintptr_t to = ((uintptr_t)p + bytes) / PAGE * PAGE;
  madvise((void *)from, to - from,
          MADV_HUGEPAGE); // where it cannot, it is slower
}

void *try_malloc(size_t bytes) {
  if (fail_after > 0 && --fail_after == 0)
    return NULL;
  void *p = malloc(bytes ? bytes : 1);
  mem_ask_for_huge_pages(p, bytes);
  return p;
}

// ---- Pages ----

enum { HUGE_PAGE = 2 << 20, LEAST_LARGE = 4 << 20, MOST_THREADS = 16 };

void *mem_try_large(size_t bytes) {
  if (bytes < LEAST_LARGE || bytes > SIZE_MAX / 2)
    return try_malloc(bytes);
  if (fail_after > 0 && --fail_after == 0)
    return NULL;
  size_t pages = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  void *p = aligned_alloc(HUGE_PAGE, pages);
  if (p)
    madvise(p, pages, MADV_HUGEPAGE); // where it cannot, it is slower
  return p;
}

struct pages {
  char *p;
  size_t bytes;
  int error;
  pthread_t thread;
  bool is_started;
};

static void *get_pages(void *context) {
  struct pages *part = context;
  while (madvise(part->p, part->bytes, MADV_POPULATE_WRITE)) {
    part->error = errno;
    if (errno != EINTR)
      return NULL;
  }
  part->error = 0;
  return NULL;
}

int mem_get_pages(void *p, size_t bytes) {
  struct pages parts[MOST_THREADS];
  size_t count = bytes / (2 * HUGE_PAGE), from = 0;
  size_t processors = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
  count = count < processors ? count : processors;
  count = count < MOST_THREADS ? count : MOST_THREADS;
  count = count ? count : 1;
  for (size_t i = 0; i < count; i++) {
    size_t end = (i + 1) * (bytes / count) / HUGE_PAGE * HUGE_PAGE;
    end = i + 1 == count ? bytes : end;
    parts[i] = (struct pages){.p = (char *)p + from, .bytes = end - from};
    parts[i].is_started =
        i > 0 && !pthread_create(&parts[i].thread, NULL, get_pages, &parts[i]);
    from = end;
  }
  int error = 0;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].is_started)
      pthread_join(parts[i].thread, NULL);
    else // the first one, and where no thread may be begun
      get_pages(&parts[i]);
    error = error ? error : parts[i].error;
  }
  return error;
}

// SPDX-License-Identifier: Apache-2.0
// Host memory: allocation that aborts, and allocation that may fail.
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

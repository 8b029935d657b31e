// SPDX-License-Identifier: Apache-2.0
// Host memory. xmalloc and its family are for small sizes that no learner
// picks: they never return NULL but call the fatal hook and abort. Any size
// that comes from outside goes through try_malloc, whose NULL is handled.
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *p, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t max_bytes);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// As malloc; NULL when there is no memory or when the test hook says so.
void *try_malloc(size_t bytes);

// What is large is touched for the first time page by page: fewer, larger pages
// are a third of the work. try_malloc has asked. `p` may be NULL.
void mem_ask_for_huge_pages(void *p, size_t bytes);
// As try_malloc, for what is filled from its begin on: of 4 MiB or more it begins with a
// large page.
void *mem_try_large(size_t bytes);

// Gets memory behind writable pages that have none yet: 0, or errno of what the kernel
// refused. Of much memory the kernel clears each page, so several threads ask for
// it. `p` is at a page's begin.
int mem_get_pages(void *p, size_t bytes);

// Called once before abort() when small memory is exhausted; the program uses
// it to restore the terminal. Returns the one before.
typedef void mem_fatal_hook(void);
mem_fatal_hook *mem_set_fatal_hook(mem_fatal_hook *hook);

// For tests: the n-th call of try_malloc from now on fails (1 is the next
// one).
void mem_fail_after(long n);

#endif

// SPDX-License-Identifier: Apache-2.0
// A region of small objects that are freed together.
#include "base/region.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CHUNK_BYTES = 64 * 1024, ALIGN = 16 };

struct chunk {
  struct chunk *next;
  size_t used;
  size_t size;
  _Alignas(16) char bytes[];
};

struct region {
  struct chunk *chunks;
};

struct region *region_new(void) {
  return xcalloc(1, sizeof(struct region));
}

void region_free(struct region *r) {
  if (!r)
    return;
  for (struct chunk *c = r->chunks, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free(r);
}

void *region_alloc(struct region *r, size_t bytes) {
  bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  struct chunk *c = r->chunks;
  if (!c || c->size - c->used < bytes) {
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    c = xcalloc(1, sizeof *c + size);
    c->size = size;
    c->next = r->chunks;
    r->chunks = c;
  }
  void *p = c->bytes + c->used;
  c->used += bytes;
  return p;
}

char *region_strndup(struct region *r, const char *s, size_t bytes) {
  char *copy = region_alloc(r, bytes + 1);
  memcpy(copy, s, bytes);
  return copy;
}

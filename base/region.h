// SPDX-License-Identifier: Apache-2.0
// A region of small objects that are freed together. (The shared memory that
// host arrays live in is gpu/remote/arena.h.)
#ifndef BASE_REGION_H
#define BASE_REGION_H

#include <stddef.h>

struct region;

struct region *region_new(void);
void region_free(struct region *r); // NULL is fine

// Zeroed memory, aligned to 16 bytes; never NULL (small sizes only).
void *region_alloc(struct region *r, size_t bytes);
char *region_strndup(struct region *r, const char *s, size_t bytes);

#endif

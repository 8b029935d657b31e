// SPDX-License-Identifier: Apache-2.0
// A hash table from strings to pointers; keys are copied, values are borrowed.
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

struct map;

struct map *map_new(void);
void map_free(struct map *m); // NULL is fine; values are the caller's
void *map_get(const struct map *m, const char *key, size_t key_bytes);
void map_set(struct map *m, const char *key, size_t key_bytes, void *value);

#endif

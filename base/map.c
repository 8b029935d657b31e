// SPDX-License-Identifier: Apache-2.0
// A hash table from strings to pointers: open addressing, FNV-1a, grown at
// three quarters full. There is no removal: nothing here needs one.
#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct slot {
  char *key;
  size_t key_bytes;
  void *value;
};

struct map {
  struct slot *slots;
  size_t cap; // a power of two
  size_t count;
};

struct map *map_new(void) {
  struct map *m = xcalloc(1, sizeof *m);
  m->cap = 16;
  m->slots = xcalloc(m->cap, sizeof *m->slots);
  return m;
}

void map_free(struct map *m) {
  if (!m)
    return;
  for (size_t i = 0; i < m->cap; i++)
    free(m->slots[i].key);
  free(m->slots);
  free(m);
}

static uint64_t hash(const char *key, size_t n) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)key[i]) * 1099511628211u;
  return h;
}

static struct slot *find(const struct map *m, const char *key, size_t n) {
  for (size_t i = hash(key, n);; i++) {
    struct slot *s = &m->slots[i & (m->cap - 1)];
    if (!s->key || (s->key_bytes == n && memcmp(s->key, key, n) == 0))
      return s;
  }
}

void *map_get(const struct map *m, const char *key, size_t key_bytes) {
  return find(m, key, key_bytes)->value;
}

static void grow(struct map *m) {
  struct map bigger = {.cap = m->cap * 2, .count = m->count};
  bigger.slots = xcalloc(bigger.cap, sizeof *bigger.slots);
  for (size_t i = 0; i < m->cap; i++)
    if (m->slots[i].key)
      *find(&bigger, m->slots[i].key, m->slots[i].key_bytes) = m->slots[i];
  free(m->slots);
  *m = bigger;
}

void map_set(struct map *m, const char *key, size_t key_bytes, void *value) {
  struct slot *s = find(m, key, key_bytes);
  if (!s->key) {
    if (4 * (m->count + 1) > 3 * m->cap) {
      grow(m);
      s = find(m, key, key_bytes);
    }
    s->key = xmalloc(key_bytes + 1);
    memcpy(s->key, key, key_bytes);
    s->key[key_bytes] = 0;
    s->key_bytes = key_bytes;
    m->count++;
  }
  s->value = value;
}

// SPDX-License-Identifier: Apache-2.0
// Rows with equal keys, found by a hash table with open addressing; keys that
// lie close together index a plain table instead.
#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/table/table.h"

enum { FIRST_BITS = 10, CLOSE = 4, FEW = 65536 };

struct slot {
  uint64_t word;
  int32_t code; // + 1; 0: free
};

struct groups {
  const struct group_keys *keys;
  int32_t *codes, *first;
  int32_t count;
  int32_t none; // the group of those without a key, or -1
  struct slot *slots;
  int bits;
};

static int32_t new_group(struct groups *g, int64_t row) {
  g->first[g->count] = (int32_t)row;
  return g->count++;
}

// Of a row without a key.
static int32_t missing_group(struct groups *g, int64_t row) {
  if (g->keys->keep_missing && g->none < 0)
    g->none = new_group(g, row);
  return g->none;
}

static bool is_missing(const struct group_keys *k, int64_t row) {
  return k->missing && k->missing[row];
}

// ---- Close together ----

// The smallest and the largest word, as signed numbers; false: there is none.
static bool find_range(const struct group_keys *k, int64_t *low,
                       int64_t *high) {
  *low = INT64_MAX, *high = INT64_MIN;
  for (int64_t i = 0; i < k->n; i++) {
    if (is_missing(k, i))
      continue;
    int64_t v = (int64_t)k->words[i];
    *low = v < *low ? v : *low;
    *high = v > *high ? v : *high;
  }
  return *low <= *high;
}

static bool is_close(const struct group_keys *k, int64_t *low, size_t *span) {
  int64_t high;
  if (!find_range(k, low, &high))
    return *span = 0, true;
  uint64_t wide = (uint64_t)high - (uint64_t)*low;
  *span = (size_t)wide + 1;
  return wide < FEW || wide < CLOSE * (uint64_t)k->n;
}

static enum err find_close(struct groups *g, int64_t low, size_t span) {
  int32_t *table = calloc(span + !span, sizeof *table);
  if (!table)
    return ERR_NOMEM;
  for (int64_t i = 0; i < g->keys->n; i++) {
    if (is_missing(g->keys, i)) {
      g->codes[i] = missing_group(g, i);
      continue;
    }
    int32_t *at = &table[g->keys->words[i] - (uint64_t)low];
    if (!*at)
      *at = new_group(g, i) + 1;
    g->codes[i] = *at - 1;
  }
  free(table);
  return ERR_OK;
}

// ---- Anywhere ----

static size_t slot_of(const struct groups *g, uint64_t word) {
  size_t mask = ((size_t)1 << g->bits) - 1;
  size_t i = (size_t)((word * 0x9e3779b97f4a7c15u) >> (64 - g->bits));
  while (g->slots[i].code && g->slots[i].word != word)
    i = (i + 1) & mask;
  return i;
}

static bool grow(struct groups *g) {
  struct slot *old = g->slots;
  size_t n = old ? (size_t)1 << g->bits : 0;
  g->bits = old ? g->bits + 1 : FIRST_BITS;
  struct slot *slots = calloc((size_t)1 << g->bits, sizeof *slots);
  if (!slots)
    return false;
  g->slots = slots;
  for (size_t i = 0; i < n; i++)
    if (old[i].code)
      g->slots[slot_of(g, old[i].word)] = old[i];
  free(old);
  return true;
}

static enum err find_anywhere(struct groups *g) {
  if (!grow(g))
    return ERR_NOMEM;
  for (int64_t i = 0; i < g->keys->n; i++) {
    if (is_missing(g->keys, i)) {
      g->codes[i] = missing_group(g, i);
      continue;
    }
    size_t at = slot_of(g, g->keys->words[i]);
    if (!g->slots[at].code) {
      if (2 * (int64_t)g->count >= (int64_t)1 << g->bits) {
        if (!grow(g))
          return ERR_NOMEM;
        at = slot_of(g, g->keys->words[i]);
      }
      g->slots[at] = (struct slot){g->keys->words[i], new_group(g, i) + 1};
    }
    g->codes[i] = g->slots[at].code - 1;
  }
  return ERR_OK;
}

enum err groups_find(const struct group_keys *k, int32_t *codes, int32_t *first,
                     int32_t *count) {
  struct groups g = {.keys = k, .codes = codes, .first = first, .none = -1};
  int64_t low;
  size_t span;
  enum err err =
      is_close(k, &low, &span) ? find_close(&g, low, span) : find_anywhere(&g);
  free(g.slots);
  *count = g.count;
  return err;
}

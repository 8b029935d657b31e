// SPDX-License-Identifier: Apache-2.0
// Dictionaries of texts: bytes in a row, and a hash table of their codes with
// open addressing, at most half full. A slot has the text's hash, too: most others
// are passed over without a look at what they stand for. Texts that came without a
// look at the table have their slots when somebody looks for one.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/frame/table/table.h"

enum { FIRST_SLOTS = 64, FIRST_BYTES = 1024, FIRST_TEXTS = 32, WORD = 8 };

struct slot {
  uint32_t hash;
  int32_t code; // + 1; 0: free
};

struct texts {
  char *bytes;
  size_t used, room;
  size_t *ends; // ends[code]: where its bytes end
  uint32_t *hashes;
  int32_t count, capacity;
  int32_t slotted; // so many codes have slots
  struct slot *slots;
  size_t slot_count;
};

struct texts *texts_new(void) {
  struct texts *t = calloc(1, sizeof *t);
  if (t) {
    t->slot_count = FIRST_SLOTS;
    t->slots = calloc(FIRST_SLOTS, sizeof *t->slots);
  }
  if (t && t->slots)
    return t;
  free(t);
  return NULL;
}

void texts_free(struct texts *t) {
  if (!t)
    return;
  free(t->bytes);
  free(t->ends);
  free(t->hashes);
  free(t->slots);
  free(t);
}

int32_t texts_count(const struct texts *t) {
  return t->count;
}

const char *texts_get(const struct texts *t, int32_t code, size_t *n) {
  size_t start = code ? t->ends[code - 1] : 0;
  *n = t->ends[code] - start;
  return t->bytes ? t->bytes + start : "";
}

const uint32_t *texts_hashes(const struct texts *t) {
  return t->hashes;
}

// Seven bytes at most, all of them in a word; some may be there twice.
static uint64_t few_bytes(const char *bytes, size_t n) {
  uint32_t first, last;
  if (n >= sizeof first) {
    memcpy(&first, bytes, sizeof first);
    memcpy(&last, bytes + n - sizeof last, sizeof last);
    return first | (uint64_t)last << 32;
  }
  const unsigned char *p = (const unsigned char *)bytes;
  return n ? p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16 : 0;
}

// Eight bytes at a time, mixed by a product.
uint32_t texts_hash(const char *bytes, size_t n) {
  const uint64_t factor = 0x9e3779b97f4a7c15u;
  uint64_t h = n * factor, word;
  for (; n >= WORD; n -= WORD, bytes += WORD) {
    memcpy(&word, bytes, WORD);
    h = (h ^ word) * factor;
    h ^= h >> 29;
  }
  h = (h ^ few_bytes(bytes, n)) * factor;
  return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

void texts_expect(const struct texts *t, uint32_t hash) {
  __builtin_prefetch(&t->slots[hash & (t->slot_count - 1)], 1);
}

static bool is_text(const struct texts *t, int32_t code, const char *bytes,
                    size_t n) {
  size_t have;
  const char *text = texts_get(t, code, &have);
  return have == n && !memcmp(text, bytes, n);
}

// The slot of these bytes, or the free one where they would stand.
static size_t slot_of(const struct texts *t, const char *bytes, size_t n,
                      uint32_t hash) {
  size_t mask = t->slot_count - 1, i = hash & mask;
  for (; t->slots[i].code; i = (i + 1) & mask) {
    if (t->slots[i].hash == hash && is_text(t, t->slots[i].code - 1, bytes, n))
      break;
  }
  return i;
}

static bool grow_slots(struct texts *t, size_t count) {
  size_t mask = count - 1;
  struct slot *slots = calloc(count, sizeof *slots);
  if (!slots)
    return false;
  mem_ask_for_huge_pages(slots, count * sizeof *slots);
  for (int32_t code = 0; code < t->count; code++) {
    size_t i = t->hashes[code] & mask;
    while (slots[i].code)
      i = (i + 1) & mask;
    slots[i] = (struct slot){t->hashes[code], code + 1};
  }
  free(t->slots);
  t->slots = slots;
  t->slot_count = count;
  t->slotted = t->count;
  return true;
}

// Has each text a slot? Of equal ones the first is found.
static bool has_slots(struct texts *t) {
  return t->slotted == t->count || texts_reserve(t, t->count);
}

int32_t texts_find(struct texts *t, const char *bytes, size_t n) {
  uint32_t hash = texts_hash(bytes, n);
  if (has_slots(t))
    return t->slots[slot_of(t, bytes, n, hash)].code - 1;
  for (int32_t code = 0; code < t->count; code++) // there is no memory for them
    if (t->hashes[code] == hash && is_text(t, code, bytes, n))
      return code;
  return -1;
}

bool texts_reserve(struct texts *t, int32_t count) {
  size_t slots = t->slot_count;
  while (slots < 2 * ((size_t)count + 1))
    slots *= 2;
  return (slots == t->slot_count && t->slotted == t->count) ||
         grow_slots(t, slots);
}

static bool grow_list(struct texts *t) {
  if (t->capacity > INT32_MAX / 2 - 1)
    return false;
  int32_t capacity = t->capacity ? 2 * t->capacity : FIRST_TEXTS;
  size_t *ends = realloc(t->ends, (size_t)capacity * sizeof *ends);
  if (!ends)
    return false;
  t->ends = ends;
  uint32_t *hashes = realloc(t->hashes, (size_t)capacity * sizeof *hashes);
  if (!hashes)
    return false;
  t->hashes = hashes;
  t->capacity = capacity;
  return true;
}

static bool grow_bytes(struct texts *t, size_t n) {
  size_t room = t->room ? t->room : FIRST_BYTES;
  while (room - t->used < n)
    room *= 2;
  char *bytes = realloc(t->bytes, room);
  if (!bytes)
    return false;
  t->bytes = bytes;
  t->room = room;
  return true;
}

int32_t texts_add(struct texts *t, const char *bytes, size_t n) {
  return texts_add_hashed(t, bytes, n, texts_hash(bytes, n));
}

int32_t texts_append(struct texts *t, const char *bytes, size_t n,
                     uint32_t hash) {
  if ((t->count == t->capacity && !grow_list(t)) ||
      (t->room - t->used < n && !grow_bytes(t, n)))
    return -1;
  if (n)
    memcpy(t->bytes + t->used, bytes, n);
  t->used += n;
  t->ends[t->count] = t->used;
  t->hashes[t->count] = hash;
  return t->count++;
}

int32_t texts_add_hashed(struct texts *t, const char *bytes, size_t n,
                         uint32_t hash) {
  if (!has_slots(t))
    return -1;
  size_t i = slot_of(t, bytes, n, hash);
  if (t->slots[i].code)
    return t->slots[i].code - 1;
  if (2 * (size_t)(t->count + 1) > t->slot_count) {
    if (!grow_slots(t, 2 * t->slot_count))
      return -1;
    i = slot_of(t, bytes, n, hash);
  }
  if (texts_append(t, bytes, n, hash) < 0)
    return -1;
  t->slots[i] = (struct slot){hash, t->count};
  t->slotted = t->count;
  return t->count - 1;
}

// ---- Many at once ----

static bool move(void **p, size_t used, size_t bytes) {
  void *large = mem_try_large(bytes + !bytes);
  if (!large)
    return false;
  if (used)
    memcpy(large, *p, used);
  free(*p);
  *p = large;
  return true;
}

static bool make_room(struct texts *t, int32_t count, size_t bytes) {
  size_t used = (size_t)t->count, n = (size_t)count;
  void *ends = t->ends, *hashes = t->hashes, *all = t->bytes;
  bool is_made = move(&ends, used * sizeof *t->ends, n * sizeof *t->ends);
  t->ends = ends;
  is_made =
      is_made && move(&hashes, used * sizeof *t->hashes, n * sizeof *t->hashes);
  t->hashes = hashes;
  t->capacity = is_made ? count : t->capacity;
  is_made = is_made && move(&all, t->used, bytes);
  t->bytes = all;
  t->room = is_made ? bytes : t->room;
  return is_made;
}

void texts_expect_all(struct texts *t, int32_t count, size_t bytes) {
  if (count > t->capacity && bytes > t->room)
    make_room(t, count, bytes);
}

bool texts_make(struct texts *t, int32_t count, size_t bytes) {
  if (!make_room(t, count, bytes))
    return false;
  t->used = bytes;
  t->count = count;
  return true;
}

void texts_copy(struct texts *t, int32_t to, size_t at,
                const struct texts *from, int32_t first, int32_t count) {
  size_t start = first ? from->ends[first - 1] : 0;
  size_t bytes = count ? from->ends[first + count - 1] - start : 0;
  if (bytes)
    memcpy(t->bytes + at, from->bytes + start, bytes);
  for (int32_t i = 0; i < count; i++)
    t->ends[to + i] = from->ends[first + i] - start + at;
  memcpy(t->hashes + to, from->hashes + first,
         (size_t)count * sizeof *t->hashes);
}

size_t texts_bytes(const struct texts *t, int32_t first, int32_t count) {
  return count ? t->ends[first + count - 1] - (first ? t->ends[first - 1] : 0)
               : 0;
}

// ---- Their order ----

// A text where it is sorted: its first bytes decide most comparisons.
struct place {
  uint64_t start; // 8 bytes, the first one highest
  const char *bytes;
  size_t n;
  int32_t code;
};

static uint64_t first_bytes(const char *bytes, size_t n) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; i++)
    word = word << 8 | (i < n ? (unsigned char)bytes[i] : 0);
  return word;
}

static int compare_places(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  int sign = memcmp(x->bytes, y->bytes, x->n < y->n ? x->n : y->n);
  return sign ? sign : (x->n > y->n) - (x->n < y->n);
}

enum err texts_ranks(const struct texts *t, int32_t *rank) {
  struct place *places =
      malloc(((size_t)t->count + !t->count) * sizeof *places);
  if (!places)
    return ERR_NOMEM;
  for (int32_t code = 0; code < t->count; code++) {
    struct place *p = &places[code];
    p->bytes = texts_get(t, code, &p->n);
    p->start = first_bytes(p->bytes, p->n);
    p->code = code;
  }
  qsort(places, (size_t)t->count, sizeof *places, compare_places);
  for (int32_t i = 0; i < t->count; i++)
    rank[places[i].code] = i;
  free(places);
  return ERR_OK;
}

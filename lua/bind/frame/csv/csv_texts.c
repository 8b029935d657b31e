// SPDX-License-Identifier: Apache-2.0
// Texts as codes. Each worker has books of its own, one for each column of texts: a
// dictionary, whose codes rise from block to block; so the texts that a worker had
// not met before a block are a range of codes, of which csv_join.c makes one
// dictionary. Of texts that mostly differ to look for each is in vain: then a book is
// a list of them. Of these a sample tells how many are there twice: those whose
// hashes end in so many zeros, one more whenever it is full (P. Gibbons, Distinct
// Sampling, VLDB 2001). Where half of them are, it is a dictionary again; so a list
// has a few times as many texts as a dictionary, at most.
#include "lua/bind/frame/csv/csv_texts.h"

#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/csv/csv_threads.h"

enum {
  NEAR_BITS = 8,
  SHORT = 8,
  WAITING = 64,
  SAMPLE_BITS = 10,
  MOST_SAMPLED = 1 << (SAMPLE_BITS - 1),
  LEAST_NEW = 64,     // of a block's texts, before they are called different
  LEAST_LOOKED = 256, // in the sample, before they are called the same
};

// A short text that was met lately.
struct near {
  uint64_t word;
  int32_t code;
  uint8_t n;
};

// A text whose slot is on its way into the cache.
struct waiting {
  const char *p;
  size_t n;
  uint32_t hash;
  int32_t *to;
};

// Hashes whose last `zeros` bits are 0, in a table of open addressing (0: free).
struct sample {
  uint32_t hashes[1 << SAMPLE_BITS];
  int count, zeros;
  int looked, again; // of so many so many were there
};

static bool make_book(struct csv_book *book) {
  book->texts = texts_new();
  book->waiting = malloc(WAITING * sizeof *book->waiting);
  book->nears = calloc((size_t)1 << NEAR_BITS, sizeof *book->nears);
  book->is_first = book->is_same = true;
  for (int i = 0; i < 1 << NEAR_BITS && book->nears; i++)
    book->nears[i].code = -1;
  return book->texts && book->waiting && book->nears;
}

enum err csv_make_books(struct csv *c, int workers) {
  csv_free_books(c);
  for (int i = 0; i < workers; i++) {
    struct csv_worker *w = &c->workers[i];
    w->books = calloc((size_t)c->count + 1, sizeof *w->books);
    w->book_count = w->books ? c->count : 0;
    if (!w->books)
      return ERR_NOMEM;
    for (int k = 0; k < c->count; k++)
      if (csv_is_texts(c, k) && !make_book(&w->books[k]))
        return ERR_NOMEM;
  }
  return ERR_OK;
}

void csv_free_books(struct csv *c) {
  for (int i = 0; i < CSV_MOST_THREADS; i++) {
    struct csv_worker *w = &c->workers[i];
    for (int k = 0; k < w->book_count; k++) {
      texts_free(w->books[k].texts);
      if (i == 0)
        free(w->books[k].to);
      free(w->books[k].waiting);
      free(w->books[k].nears);
      free(w->books[k].sample);
    }
    free(w->books);
    w->books = NULL;
    w->book_count = 0;
  }
}

// ---- Short texts ----

static uint64_t word_of(const char *p, size_t n) {
  uint64_t word;
  memcpy(&word, p, SHORT); // a text has padding
  return n < SHORT ? word & ((1ull << 8 * n) - 1) : word;
}

static struct near *near_of(const struct csv_book *book, uint64_t word) {
  return &book->nears[(word * 0x9e3779b97f4a7c15u) >> (64 - NEAR_BITS)];
}

static void note_near(struct csv_book *book, const char *p, size_t n,
                      int32_t code) {
  if (n > SHORT || code < 0)
    return;
  uint64_t word = word_of(p, n);
  *near_of(book, word) = (struct near){word, code, (uint8_t)n};
}

// ---- A sample of a list ----

static bool add_sampled(struct sample *s, uint32_t hash) {
  uint32_t mask = (1u << SAMPLE_BITS) - 1;
  uint32_t i = hash * 0x9e3779b9u >> (32 - SAMPLE_BITS);
  for (; s->hashes[i]; i = (i + 1) & mask)
    if (s->hashes[i] == hash)
      return false;
  s->hashes[i] = hash;
  s->count++;
  return true;
}

static bool is_sampled(const struct sample *s, uint32_t hash) {
  return hash && !(hash & ((1u << s->zeros) - 1));
}

// Half of them are left.
static void thin_out(struct sample *s) {
  uint32_t hashes[1 << SAMPLE_BITS];
  memcpy(hashes, s->hashes, sizeof hashes);
  memset(s->hashes, 0, sizeof s->hashes);
  s->count = 0;
  s->zeros++;
  for (int i = 0; i < 1 << SAMPLE_BITS; i++)
    if (is_sampled(s, hashes[i]))
      add_sampled(s, hashes[i]);
}

static void note_sampled(struct sample *s, uint32_t hash) {
  if (!is_sampled(s, hash))
    return;
  s->looked++;
  s->again += !add_sampled(s, hash);
  while (s->count > MOST_SAMPLED && s->zeros < 31)
    thin_out(s);
}

// ---- Texts ----

static bool list_text(struct csv_book *book, const char *p, size_t n,
                      int32_t *to) {
  uint32_t hash = texts_hash(p, n);
  note_sampled(book->sample, hash);
  *to = texts_append(book->texts, p, n, hash);
  note_near(book, p, n, *to);
  return *to >= 0;
}

bool csv_store_waiting(struct csv_worker *w, int column) {
  struct csv_book *book = &w->books[column];
  bool is_stored = true;
  for (int i = 0; i < book->waiting_count; i++) {
    struct waiting *one = &book->waiting[i];
    *one->to = texts_add_hashed(book->texts, one->p, one->n, one->hash);
    is_stored &= *one->to >= 0;
    note_near(book, one->p, one->n, *one->to);
  }
  book->waiting_count = 0;
  return is_stored;
}

bool csv_store_text(struct csv_worker *w, int column, const char *p, size_t n,
                    int32_t *to) {
  struct csv_book *book = &w->books[column];
  book->stored++;
  if (n <= SHORT) {
    uint64_t word = word_of(p, n);
    const struct near *near = near_of(book, word);
    if (near->word == word && near->n == n && near->code >= 0) {
      *to = near->code;
      return true;
    }
  }
  if (book->is_list)
    return list_text(book, p, n, to);
  uint32_t hash = texts_hash(p, n);
  texts_expect(book->texts, hash);
  book->waiting[book->waiting_count++] = (struct waiting){p, n, hash, to};
  return book->waiting_count < WAITING || csv_store_waiting(w, column);
}

// ---- A block's end ----

// Room for a list of what this worker may take of the other blocks, and some more,
// if they are like this one.
static void expect_list(struct csv_worker *w, struct csv_book *book,
                        int32_t added) {
  struct texts *t = book->texts;
  int64_t workers = csv_threads(w->csv, w->csv->block_count);
  int64_t blocks = w->csv->block_count * 9 / 8 / workers;
  size_t bytes = texts_bytes(t, book->size, added);
  if (blocks * added < INT32_MAX)
    texts_expect_all(t, (int32_t)(blocks * added), (size_t)blocks * bytes);
}

// The worker's first block tells nothing: there all texts are new.
static bool becomes_list(struct csv_worker *w, struct csv_book *book,
                         int32_t added) {
  if (book->is_first || added < LEAST_NEW || added / 3 < book->stored / 4)
    return false;
  free(book->sample);
  book->sample = calloc(1, sizeof *book->sample);
  if (book->sample && !book->has_list)
    expect_list(w, book, added);
  return book->sample; // without, it stays what it is
}

static bool stays_list(struct csv_book *book) {
  struct sample *s = book->sample;
  if (s->looked < LEAST_LOOKED)
    return true;
  bool is_list = s->again < s->looked / 2;
  s->looked = s->again = 0;
  return is_list;
}

bool csv_end_book(struct csv_worker *w, int column, int32_t *size) {
  struct csv_book *book = &w->books[column];
  *size = 0;
  if (!book->texts)
    return true;
  bool is_stored = csv_store_waiting(w, column);
  *size = texts_count(book->texts);
  book->is_list = book->is_list ? stays_list(book)
                                : becomes_list(w, book, *size - book->size);
  book->has_list |= book->is_list;
  book->is_first = false;
  book->size = *size;
  book->stored = 0;
  return is_stored;
}

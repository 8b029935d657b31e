// SPDX-License-Identifier: Apache-2.0
// Texts as codes. Each worker has dictionaries of its own, whose codes rise from
// block to block; so the texts that a worker had not met before a block are a
// range of codes, and block by block they come into one dictionary in the order of
// their rows, whichever worker took which block.
#include "lua/bind/frame/csv/csv_texts.h"

#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/csv/csv_file.h"
#include "lua/bind/frame/csv/csv_threads.h"

enum { NEAR_BITS = 8, SHORT = 8, WAITING = 64, AHEAD = 16 };

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

// There is one for each column of each worker; what is not small is made for texts.
struct csv_book {
  struct texts *texts;
  struct waiting *waiting;
  int waiting_count;
  int32_t *to;    // codes of the dictionary of all
  int32_t mapped; // of how many of its codes
  bool is_same;   // each is itself
  struct near *nears;
};
_Static_assert(sizeof(struct csv_book) <= 64, "files have 20,000 columns, too");

static bool is_texts(const struct csv *c, int k) {
  return c->columns[k].is_used && !c->columns[k].is_filled &&
         c->columns[k].type == CSV_TEXT;
}

static bool make_book(struct csv_book *book) {
  book->texts = texts_new();
  book->waiting = malloc(WAITING * sizeof *book->waiting);
  book->nears = calloc((size_t)1 << NEAR_BITS, sizeof *book->nears);
  book->is_same = true;
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
      if (is_texts(c, k) && !make_book(&w->books[k]))
        return ERR_NOMEM;
  }
  return ERR_OK;
}

void csv_free_books(struct csv *c) {
  for (int i = 0; i < CSV_MOST_THREADS; i++) {
    struct csv_worker *w = &c->workers[i];
    for (int k = 0; k < w->book_count; k++) {
      texts_free(w->books[k].texts);
      free(w->books[k].to);
      free(w->books[k].waiting);
      free(w->books[k].nears);
    }
    free(w->books);
    w->books = NULL;
    w->book_count = 0;
  }
}

static uint64_t word_of(const char *p, size_t n) {
  uint64_t word;
  memcpy(&word, p, SHORT); // a text has padding
  return n < SHORT ? word & ((1ull << 8 * n) - 1) : word;
}

static struct near *near_of(const struct csv_book *book, uint64_t word) {
  return &book->nears[(word * 0x9e3779b97f4a7c15u) >> (64 - NEAR_BITS)];
}

bool csv_store_waiting(struct csv_worker *w, int column) {
  struct csv_book *book = &w->books[column];
  bool is_stored = true;
  for (int i = 0; i < book->waiting_count; i++) {
    struct waiting *one = &book->waiting[i];
    *one->to = texts_add_hashed(book->texts, one->p, one->n, one->hash);
    is_stored &= *one->to >= 0;
    if (one->n <= SHORT) {
      uint64_t word = word_of(one->p, one->n);
      *near_of(book, word) = (struct near){word, *one->to, (uint8_t)one->n};
    }
  }
  book->waiting_count = 0;
  return is_stored;
}

bool csv_store_text(struct csv_worker *w, int column, const char *p, size_t n,
                    int32_t *to) {
  struct csv_book *book = &w->books[column];
  if (n <= SHORT) {
    uint64_t word = word_of(p, n);
    const struct near *near = near_of(book, word);
    if (near->word == word && near->n == n && near->code >= 0) {
      *to = near->code;
      return true;
    }
  }
  uint32_t hash = texts_hash(p, n);
  texts_expect(book->texts, hash);
  book->waiting[book->waiting_count++] = (struct waiting){p, n, hash, to};
  return book->waiting_count < WAITING || csv_store_waiting(w, column);
}

int32_t csv_book_size(const struct csv_worker *w, int column) {
  return w->books[column].texts ? texts_count(w->books[column].texts) : 0;
}

// ---- One dictionary ----

// The texts that a worker met first in this block.
static enum err take_texts(struct csv_book *book, int32_t behind,
                           struct texts *all) {
  const struct texts *own = book->texts;
  int32_t most = texts_count(own);
  for (; book->mapped < behind; book->mapped++) {
    size_t n;
    if (book->mapped + AHEAD < most)
      texts_expect(all, texts_hash_of(own, book->mapped + AHEAD));
    const char *text = texts_get(own, book->mapped, &n);
    int32_t code =
        texts_add_hashed(all, text, n, texts_hash_of(own, book->mapped));
    if (code < 0)
      return ERR_NOMEM;
    book->to[book->mapped] = code;
    book->is_same &= code == book->mapped;
  }
  return ERR_OK;
}

// Room for the codes of all workers' texts; false: there is none.
static bool make_codes(struct csv *c, int k, struct texts *all) {
  int32_t most = 0;
  for (int i = 0; i < CSV_MOST_THREADS; i++) {
    struct csv_worker *w = &c->workers[i];
    if (!w->book_count)
      continue;
    int32_t size = csv_book_size(w, k);
    w->books[k].to = malloc(((size_t)size + 1) * sizeof *w->books[k].to);
    if (!w->books[k].to)
      return false;
    most = size > most ? size : most;
  }
  return texts_reserve(all, most); // at least so many
}

static enum err join_column(struct csv *c, int k) {
  struct texts *all = c->columns[k].texts = texts_new();
  enum err err = all && make_codes(c, k, all) ? ERR_OK : ERR_NOMEM;
  for (int64_t i = 0; i < c->block_count && !err; i++) {
    struct csv_book *book = &c->workers[c->blocks[i].worker].books[k];
    err = take_texts(book, c->found[i * c->count + k].texts, all);
  }
  return err;
}

static void join_columns(struct csv_worker *w) {
  struct csv *c = w->csv;
  struct err_info e;
  for (int64_t k; (k = csv_take_one(c, c->count)) >= 0;)
    if (is_texts(c, (int)k) && join_column(c, (int)k))
      csv_stop(c, csv_no_memory(c, &e), &e);
}

static void renumber(struct csv_worker *w) {
  struct csv *c = w->csv;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    const struct csv_block *b = &c->blocks[i];
    const struct csv_book *books = c->workers[b->worker].books;
    for (int k = 0; k < c->count; k++) {
      if (!is_texts(c, k) || books[k].is_same)
        continue;
      int32_t *codes = (int32_t *)c->columns[k].values + b->first_row;
      for (int64_t row = 0; row < b->rows; row++)
        codes[row] = codes[row] < 0 ? -1 : books[k].to[codes[row]];
    }
  }
}

static void take_only(struct csv *c) {
  for (int k = 0; k < c->count; k++)
    if (is_texts(c, k)) {
      c->columns[k].texts = c->workers[0].books[k].texts;
      c->workers[0].books[k].texts = NULL;
    }
}

enum err csv_join_books(struct csv *c, struct err_info *e) {
  int columns = 0;
  bool is_same = true;
  for (int k = 0; k < c->count; k++)
    columns += is_texts(c, k);
  if (!c->workers[1].book_count) { // the only worker's is that of all
    take_only(c);
    return ERR_OK;
  }
  enum err err = csv_run(c, csv_threads(c, columns), join_columns, e);
  for (int k = 0; k < c->count; k++)
    for (int i = 0; i < CSV_MOST_THREADS && is_texts(c, k); i++)
      is_same &= !c->workers[i].book_count || c->workers[i].books[k].is_same;
  if (err || is_same)
    return err;
  return csv_run(c, csv_threads(c, c->block_count), renumber, e);
}

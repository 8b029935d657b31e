// SPDX-License-Identifier: Apache-2.0
// Texts as codes. Each worker has dictionaries of its own, whose codes rise from
// block to block; so the texts that a worker had not met before a block are a
// range of codes, and block by block they come into one dictionary in the order of
// their rows, whichever worker took which block.
#include "lua/bind/frame/csv/csv_texts.h"

#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/csv/csv_threads.h"

enum { NEAR_BITS = 8, SHORT = 8 };

// A short text that was met lately.
struct near {
  uint64_t word;
  int32_t code;
  uint8_t n;
};

struct csv_book {
  struct texts *texts;
  int32_t *to;    // codes of the dictionary of all
  int32_t mapped; // of how many of its codes
  bool is_same;   // each is itself
  struct near *nears;
};

static bool is_texts(const struct csv *c, int k) {
  return c->columns[k].is_used && !c->columns[k].is_filled &&
         c->columns[k].type == CSV_TEXT;
}

static bool make_book(struct csv_book *book) {
  book->texts = texts_new();
  book->nears = calloc((size_t)1 << NEAR_BITS, sizeof *book->nears);
  book->is_same = true;
  for (int i = 0; i < 1 << NEAR_BITS && book->nears; i++)
    book->nears[i].code = -1;
  return book->texts && book->nears;
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
      free(w->books[k].nears);
    }
    free(w->books);
    w->books = NULL;
    w->book_count = 0;
  }
}

int32_t csv_code(struct csv_worker *w, int column, const char *p, size_t n) {
  struct csv_book *book = &w->books[column];
  if (n > SHORT)
    return texts_add(book->texts, p, n);
  uint64_t word = 0;
  memcpy(&word, p, SHORT); // a text has padding
  word &= n < SHORT ? (1ull << 8 * n) - 1 : ~0ull;
  struct near *near =
      &book->nears[(word * 0x9e3779b97f4a7c15u) >> (64 - NEAR_BITS)];
  if (near->word != word || near->n != n || near->code < 0)
    *near = (struct near){word, texts_add(book->texts, p, n), (uint8_t)n};
  return near->code;
}

int32_t csv_book_size(const struct csv_worker *w, int column) {
  return w->books[column].texts ? texts_count(w->books[column].texts) : 0;
}

// ---- One dictionary ----

// The texts that a worker met first in this block.
static enum err take_texts(struct csv_book *book, int32_t behind,
                           struct texts *all) {
  for (; book->mapped < behind; book->mapped++) {
    size_t n;
    const char *text = texts_get(book->texts, book->mapped, &n);
    int32_t code = texts_add(all, text, n);
    if (code < 0)
      return ERR_NOMEM;
    book->to[book->mapped] = code;
    book->is_same &= code == book->mapped;
  }
  return ERR_OK;
}

static enum err join_column(struct csv *c, int k) {
  struct texts *all = texts_new();
  enum err err = all ? ERR_OK : ERR_NOMEM;
  for (int i = 0; i < CSV_MOST_THREADS && !err; i++) {
    struct csv_worker *w = &c->workers[i];
    if (!w->book_count)
      continue;
    size_t size = (size_t)csv_book_size(w, k) + 1;
    w->books[k].to = malloc(size * sizeof *w->books[k].to);
    err = w->books[k].to ? ERR_OK : ERR_NOMEM;
  }
  for (int64_t i = 0; i < c->block_count && !err; i++) {
    struct csv_book *book = &c->workers[c->blocks[i].worker].books[k];
    err = take_texts(book, c->found[i * c->count + k].texts, all);
  }
  c->columns[k].texts = all;
  return err;
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

// The only worker's dictionary is that of all.
static bool is_of_one(const struct csv *c) {
  return c->workers[0].book_count && !c->workers[1].book_count;
}

enum err csv_join_books(struct csv *c, struct err_info *e) {
  bool is_same = true;
  for (int k = 0; k < c->count; k++) {
    if (!is_texts(c, k))
      continue;
    if (is_of_one(c)) {
      c->columns[k].texts = c->workers[0].books[k].texts;
      c->workers[0].books[k].texts = NULL;
      continue;
    }
    if (join_column(c, k))
      return err_set(e, ERR_NOMEM, "%s: there is no memory for its texts",
                     c->path);
    for (int i = 0; i < CSV_MOST_THREADS; i++)
      is_same &= !c->workers[i].book_count || c->workers[i].books[k].is_same;
  }
  return is_same ? ERR_OK
                 : csv_run(c, csv_threads(c, c->block_count), renumber, e);
}

// SPDX-License-Identifier: Apache-2.0
// Theory of operation. A worker's codes rise from block to block; so what it added to
// its book in a block is a range of codes, and block by block they come into one
// dictionary in the order of their rows, whichever worker took which block. Few texts
// are added one by one. Many are first dealt out, by the highest bits of their
// hashes, to parts whose tables fit into a processor's cache, each in the order of
// the rows; then several threads each find, part by part, which texts stand there
// for the first time. Counting those of each block tells its first code and where
// its bytes begin, and again several threads copy them, run by run.
#include "lua/bind/frame/csv/csv_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/frame/csv/csv_file.h"
#include "lua/bind/frame/csv/csv_texts.h"
#include "lua/bind/frame/csv/csv_threads.h"

enum {
  LEAST_MANY = 1 << 16, // texts
  PART_TEXTS = 1 << 14, // about so many in a part
  MOST_PART_BITS = 8,
  MOST_PARTS = 1 << MOST_PART_BITS,
};

// What a block added to its worker's book.
struct range {
  struct csv_book *book;
  int32_t from, behind; // codes of the book
  int32_t first;        // its worker's codes are numbers from here on, ...
  int32_t firsts;       // and so many stand there for the first time, ...
  int32_t code;         // of which this is the first one's code, ...
  size_t at, bytes;     // and this where its bytes begin
};

struct entry {
  uint32_t hash;
  int32_t number; // of a text, among those of all workers
};

// A column while it is joined, for csv_run's workers.
struct csv_join {
  int column;
  int32_t count;                        // of all books' texts
  int32_t firsts[CSV_MOST_THREADS + 1]; // the numbers of each worker's texts
  // Of each number: below 0 it stands there for the first time, and ~code is in it;
  // else the number of that one.
  int32_t *to;
  struct entry *entries;
  int32_t room; // of both, which are kept for the next column
  int bits;
  size_t *starts;       // of each part's each block's entries
  struct range *ranges; // of each block
  struct texts *all;
};

static int32_t book_size(const struct csv_worker *w, int k) {
  return w->book_count ? texts_count(w->books[k].texts) : 0;
}

static int64_t texts_of_all(const struct csv *c, int k) {
  int64_t count = 0;
  for (int i = 0; i < CSV_MOST_THREADS; i++)
    count += book_size(&c->workers[i], k);
  return count;
}

static bool is_many(const struct csv *c, int k) {
  int64_t count = texts_of_all(c, k);
  return count >= LEAST_MANY && count <= INT32_MAX;
}

// Is the only worker's dictionary that of all?
static bool is_only(const struct csv *c, int k) {
  return !c->workers[1].book_count && !c->workers[0].books[k].has_list;
}

static void take_only(struct csv *c, int k) {
  c->columns[k].texts = c->workers[0].books[k].texts;
  c->workers[0].books[k].texts = NULL;
}

// ---- Few texts ----

// The texts that a worker met first in this block.
static enum err take_texts(struct csv_book *book, int32_t from, int32_t behind,
                           struct texts *all) {
  const struct texts *own = book->texts;
  for (; from < behind; from++) {
    size_t n;
    const char *text = texts_get(own, from, &n);
    int32_t code = texts_add_hashed(all, text, n, texts_hashes(own)[from]);
    if (code < 0)
      return ERR_NOMEM;
    book->to[from] = ~code;
    book->is_same &= code == from;
  }
  return ERR_OK;
}

// Room for what the codes of all workers' texts stand for, which the first one owns;
// false: there is none.
static bool make_codes(struct csv *c, int k) {
  int32_t *to = try_malloc((size_t)texts_of_all(c, k) * sizeof *to);
  for (int i = 0; i < CSV_MOST_THREADS && to; i++)
    if (c->workers[i].book_count) {
      c->workers[i].books[k].to = to;
      to += book_size(&c->workers[i], k);
    }
  return to;
}

static enum err join_few(struct csv *c, int k) {
  int32_t mapped[CSV_MOST_THREADS] = {0};
  struct texts *all = c->columns[k].texts = texts_new();
  enum err err = all && make_codes(c, k) ? ERR_OK : ERR_NOMEM;
  for (int64_t i = 0; i < c->block_count && !err; i++) {
    int worker = c->blocks[i].worker;
    int32_t behind = c->found[i * c->count + k].texts;
    err = take_texts(&c->workers[worker].books[k], mapped[worker], behind, all);
    mapped[worker] = behind;
  }
  return err;
}

// ---- Many: dealt out ----

static int part_of(const struct csv_join *j, uint32_t hash) {
  return (int)(hash >> (32 - j->bits));
}

static void count_parts(struct csv_worker *w) {
  struct csv *c = w->csv;
  struct csv_join *j = c->join;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    const struct range *r = &j->ranges[i];
    const uint32_t *hashes = texts_hashes(r->book->texts);
    size_t counts[MOST_PARTS] = {0};
    for (int32_t code = r->from; code < r->behind; code++)
      counts[part_of(j, hashes[code])]++;
    for (int part = 0; part < 1 << j->bits; part++)
      j->starts[part * c->block_count + i] = counts[part];
  }
}

static void add_up(struct csv *c) {
  struct csv_join *j = c->join;
  int64_t count = c->block_count << j->bits;
  size_t start = 0;
  for (int64_t i = 0; i <= count; i++) {
    size_t n = i < count ? j->starts[i] : 0;
    j->starts[i] = start;
    start += n;
  }
}

static void deal_out(struct csv_worker *w) {
  struct csv *c = w->csv;
  struct csv_join *j = c->join;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    const struct range *r = &j->ranges[i];
    const uint32_t *hashes = texts_hashes(r->book->texts);
    struct entry *to[MOST_PARTS];
    for (int part = 0; part < 1 << j->bits; part++)
      to[part] = j->entries + j->starts[part * c->block_count + i];
    for (int32_t code = r->from; code < r->behind; code++) {
      uint32_t hash = hashes[code];
      *to[part_of(j, hash)]++ = (struct entry){hash, r->first + code};
    }
  }
}

// ---- Many: which stand there for the first time ----

static const char *text_of(const struct csv *c, int32_t number, size_t *n) {
  const struct csv_join *j = c->join;
  int low = 0, high = CSV_MOST_THREADS; // it is one of these workers'
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (j->firsts[middle] <= number)
      low = middle;
    else
      high = middle;
  }
  return texts_get(c->workers[low].books[j->column].texts,
                   number - j->firsts[low], n);
}

static bool is_same_text(const struct csv *c, int32_t a, int32_t b) {
  size_t n, m;
  const char *one = text_of(c, a, &n), *other = text_of(c, b, &m);
  return n == m && !memcmp(one, other, n);
}

// The entries of a part; `slots` has room for twice as many.
static void find_firsts(const struct csv *c, const struct entry *from,
                        const struct entry *end, struct entry *slots) {
  const struct csv_join *j = c->join;
  size_t mask = 1;
  while (mask < 2 * (size_t)(end - from))
    mask *= 2;
  memset(slots, 0, mask-- * sizeof *slots);
  for (; from < end; from++) {
    size_t i = from->hash & mask;
    while (slots[i].number &&
           (slots[i].hash != from->hash ||
            !is_same_text(c, slots[i].number - 1, from->number)))
      i = (i + 1) & mask;
    j->to[from->number] = slots[i].number - 1;
    if (!slots[i].number)
      slots[i] = (struct entry){from->hash, from->number + 1};
  }
}

static void find_all_firsts(struct csv_worker *w) {
  struct csv *c = w->csv;
  const struct csv_join *j = c->join;
  struct err_info e;
  size_t room = 0;
  struct entry *slots = NULL;
  for (int64_t part; (part = csv_take_one(c, 1 << j->bits)) >= 0;) {
    const size_t *start = &j->starts[part * c->block_count];
    size_t count = start[c->block_count] - start[0];
    if (4 * count + 1 > room) {
      room = 4 * count + 1;
      free(slots);
      slots = try_malloc(room * sizeof *slots);
    }
    if (!slots) {
      csv_stop(c, csv_no_memory(c, &e), &e);
      break;
    }
    find_firsts(c, j->entries + start[0], j->entries + start[0] + count, slots);
  }
  free(slots);
}

// ---- Many: one behind the other ----

// The next run of texts from `code` on that stand there for the first time.
static int32_t next_run(const struct csv_join *j, const struct range *r,
                        int32_t code, int32_t *behind) {
  const int32_t *to = j->to + r->first;
  while (code < r->behind && to[code] >= 0)
    code++;
  *behind = code;
  while (*behind < r->behind && to[*behind] < 0)
    ++*behind;
  return code;
}

static void count_firsts(struct csv_worker *w) {
  struct csv *c = w->csv;
  struct csv_join *j = c->join;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    struct range *r = &j->ranges[i];
    for (int32_t code = r->from, behind; code < r->behind; code = behind) {
      code = next_run(j, r, code, &behind);
      r->firsts += behind - code;
      r->bytes += texts_bytes(r->book->texts, code, behind - code);
    }
  }
}

// Does the only worker's list have no text twice?
static bool is_list_of_firsts(const struct csv *c) {
  int64_t firsts = 0;
  for (int64_t i = 0; i < c->block_count; i++)
    firsts += c->join->ranges[i].firsts;
  return !c->workers[1].book_count && firsts == c->join->count;
}

// Codes and places in order of the blocks.
static enum err make_all(struct csv *c) {
  struct csv_join *j = c->join;
  int32_t code = 0;
  size_t at = 0;
  for (int64_t i = 0; i < c->block_count; i++) {
    struct range *r = &j->ranges[i];
    r->code = code;
    r->at = at;
    code += r->firsts;
    at += r->bytes;
  }
  j->all = c->columns[j->column].texts = texts_new();
  return j->all && texts_make(j->all, code, at) ? ERR_OK : ERR_NOMEM;
}

static void copy_firsts(struct csv_worker *w) {
  struct csv *c = w->csv;
  struct csv_join *j = c->join;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    struct range *r = &j->ranges[i];
    for (int32_t code = r->from, behind; code < r->behind; code = behind) {
      code = next_run(j, r, code, &behind);
      texts_copy(j->all, r->code, r->at, r->book->texts, code, behind - code);
      r->at += texts_bytes(r->book->texts, code, behind - code);
      for (int32_t k = code; k < behind; k++)
        j->to[r->first + k] = ~r->code++;
    }
  }
}

// What stood there before has the code of the first one.
static void renumber_many(struct csv_worker *w) {
  struct csv *c = w->csv;
  const struct csv_join *j = c->join;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    const struct csv_block *b = &c->blocks[i];
    const int32_t *to = j->to + j->ranges[i].first;
    int32_t *codes = (int32_t *)c->columns[j->column].values + b->first_row;
    for (int64_t row = 0; row < b->rows; row++) {
      int32_t code = codes[row] < 0 ? -1 : to[codes[row]];
      codes[row] = codes[row] < 0 ? -1 : ~(code < 0 ? code : j->to[code]);
    }
  }
}

// ---- Many: a column ----

static void set_ranges(struct csv *c, int k) {
  struct csv_join *j = c->join;
  int32_t mapped[CSV_MOST_THREADS] = {0};
  for (int i = 0; i < CSV_MOST_THREADS; i++)
    j->firsts[i + 1] = j->firsts[i] + book_size(&c->workers[i], k);
  for (int64_t i = 0; i < c->block_count; i++) {
    int worker = c->blocks[i].worker;
    struct range *r = &j->ranges[i];
    r->book = &c->workers[worker].books[k];
    r->first = j->firsts[worker];
    r->from = mapped[worker];
    r->behind = mapped[worker] = c->found[i * c->count + k].texts;
  }
}

static bool make_room(struct csv_join *j) {
  if (j->room >= j->count)
    return true;
  free(j->to);
  free(j->entries);
  j->to = mem_try_large((size_t)j->count * sizeof *j->to);
  j->entries = mem_try_large((size_t)j->count * sizeof *j->entries);
  j->room = j->to && j->entries ? j->count : 0;
  return j->room;
}

static bool begin(struct csv *c, int k) {
  struct csv_join *j = c->join;
  j->column = k;
  j->count = (int32_t)texts_of_all(c, k);
  for (j->bits = 1; j->bits < MOST_PART_BITS; j->bits++)
    if (j->count >> j->bits <= PART_TEXTS)
      break;
  size_t blocks = (size_t)c->block_count;
  free(j->starts);
  free(j->ranges);
  j->starts = try_malloc(((blocks << j->bits) + 1) * sizeof *j->starts);
  j->ranges = calloc(blocks + 1, sizeof *j->ranges);
  if (!j->starts || !j->ranges || !make_room(j))
    return false;
  set_ranges(c, k);
  return true;
}

static enum err join_many(struct csv *c, int k, struct err_info *e) {
  const int threads = csv_threads(c, c->block_count);
  struct csv_join *j = c->join;
  if (!begin(c, k))
    return csv_no_memory(c, e);
  enum err err = csv_run(c, threads, count_parts, e);
  if (!err) {
    add_up(c);
    err = csv_run(c, threads, deal_out, e);
  }
  if (!err)
    err = csv_run(c, csv_threads(c, 1 << j->bits), find_all_firsts, e);
  if (!err)
    err = csv_run(c, threads, count_firsts, e);
  if (!err && is_list_of_firsts(c)) {
    take_only(c, k);
    return ERR_OK;
  }
  if (!err && make_all(c))
    return csv_no_memory(c, e);
  if (!err)
    err = csv_run(c, threads, copy_firsts, e);
  return err ? err : csv_run(c, threads, renumber_many, e);
}

static enum err join_all_many(struct csv *c, struct err_info *e) {
  struct csv_join j = {0};
  enum err err = ERR_OK;
  c->join = &j;
  for (int k = 0; k < c->count && !err; k++)
    if (csv_is_texts(c, k) && !is_only(c, k) && is_many(c, k))
      err = join_many(c, k, e);
  free(j.to);
  free(j.entries);
  free(j.starts);
  free(j.ranges);
  c->join = NULL;
  return err;
}

// ---- All columns ----

static void join_all_few(struct csv_worker *w) {
  struct csv *c = w->csv;
  struct err_info e;
  for (int64_t i; (i = csv_take_one(c, c->count)) >= 0;) {
    int k = (int)i;
    if (!csv_is_texts(c, k) || c->columns[k].texts)
      continue;
    if (is_only(c, k))
      take_only(c, k);
    else if (join_few(c, k))
      csv_stop(c, csv_no_memory(c, &e), &e);
  }
}

static void renumber(struct csv_worker *w) {
  struct csv *c = w->csv;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    const struct csv_block *b = &c->blocks[i];
    const struct csv_book *books = c->workers[b->worker].books;
    for (int k = 0; k < c->count; k++) {
      if (!csv_is_texts(c, k) || books[k].is_same)
        continue;
      int32_t *codes = (int32_t *)c->columns[k].values + b->first_row;
      for (int64_t row = 0; row < b->rows; row++)
        codes[row] = codes[row] < 0 ? -1 : ~books[k].to[codes[row]];
    }
  }
}

static bool is_same(const struct csv *c, int k) {
  bool is_same = true;
  for (int i = 0; i < CSV_MOST_THREADS && csv_is_texts(c, k); i++)
    is_same &= !c->workers[i].book_count || c->workers[i].books[k].is_same;
  return is_same;
}

enum err csv_join_books(struct csv *c, struct err_info *e) {
  int columns = 0;
  bool is_as_it_was = true;
  for (int k = 0; k < c->count; k++)
    columns += csv_is_texts(c, k);
  enum err err = join_all_many(c, e);
  if (!err)
    err = csv_run(c, csv_threads(c, columns), join_all_few, e);
  for (int k = 0; k < c->count && !err; k++)
    is_as_it_was &= is_same(c, k);
  return err || is_as_it_was
             ? err
             : csv_run(c, csv_threads(c, c->block_count), renumber, e);
}

// SPDX-License-Identifier: Apache-2.0
// Columns below Lua: dictionaries of texts, groups of equal keys and what is
// computed of each, joins. (The reader of CSV has a room of its own.) Nothing
// here knows Lua; whoever calls owns all arrays, which are contiguous.
#ifndef LUA_BIND_FRAME_TABLE_TABLE_H
#define LUA_BIND_FRAME_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// ---- texts.c: a column of texts is codes into one of these ----

// Texts in the order in which they came, each once; the first has code 0. A
// missing text has no entry: its code is -1.
struct texts;
struct texts *texts_new(void); // NULL: no memory
void texts_free(struct texts *t);
// The code of these bytes, which are copied where they are new; -1: no memory,
// or more than 2^31 - 2 texts.
int32_t texts_add(struct texts *t, const char *bytes, size_t n);
// The same of a text whose hash is known. texts_expect: it comes soon, so that its
// slot may be on its way into the cache; texts_reserve: so many texts will be there.
uint32_t texts_hash(const char *bytes, size_t n);
void texts_expect(const struct texts *t, uint32_t hash);
int32_t texts_add_hashed(struct texts *t, const char *bytes, size_t n,
                         uint32_t hash);
bool texts_reserve(struct texts *t, int32_t count);
const uint32_t *texts_hashes(const struct texts *t); // of each code
// As texts_add_hashed, without a look whether it is there: then it has two codes,
// of which the lower one is found.
int32_t texts_append(struct texts *t, const char *bytes, size_t n,
                     uint32_t hash);
int32_t texts_find(struct texts *t, const char *bytes, size_t n);
// Of a code; not ended by a zero.
const char *texts_get(const struct texts *t, int32_t code, size_t *n);
int32_t texts_count(const struct texts *t);
// Room for so many texts of so many bytes in all, where they are to be appended; at
// most this makes it quicker.
void texts_expect_all(struct texts *t, int32_t count, size_t bytes);
// Makes an empty one have so many texts of so many bytes in all, each filled by
// texts_copy (which several threads may do): `count` of another's, those from `first`
// on, as the codes from `to` on, whose bytes begin at `at`. False: no memory.
bool texts_make(struct texts *t, int32_t count, size_t bytes);
void texts_copy(struct texts *t, int32_t to, size_t at,
                const struct texts *from, int32_t first, int32_t count);
size_t texts_bytes(const struct texts *t, int32_t first, int32_t count);
// rank[code]: how many texts stand before it, byte by byte, which for UTF-8 is
// the order of its characters.
enum err texts_ranks(const struct texts *t, int32_t *rank);

// ---- number.c ----

// Writes the fewest digits that give the number (the float) again, laid out as Python does
// (1.5, 2.0, 1e-07, inf), without a zero behind; returns how many bytes.
enum { NUMBER_TEXT = 32 };
size_t number_write(double v, bool is_single, char out[NUMBER_TEXT]);

// ---- groups.c: rows with equal keys ----

// The key of a row as a word: two rows are equal where their words are.
// `missing` (may be NULL) is 1 where a row has none.
struct group_keys {
  const uint64_t *words;
  const uint8_t *missing;
  int64_t n;         // of rows, under 2^31
  bool keep_missing; // those without a key are a group of their own
};
// codes[row]: which group, from 0 in the order of their first rows, or -1;
// first[group], room for n: that row. Errors: ERR_NOMEM.
enum err groups_find(const struct group_keys *k, int32_t *codes, int32_t *first,
                     int32_t *count);

// ---- aggregate.c: one value of each group ----

// A column's rows by group. Of the two kinds of values one is given; NaN among
// floats is missing and passed over, as is a row whose code is -1.
struct aggregate {
  const int32_t *codes;
  const double *floats;
  const int64_t *integers;
  int64_t n;
  int32_t groups;
  int ddof; // of var: what is taken off the number of values
};
void aggregate_size(const struct aggregate *a, int64_t *out); // of rows
void aggregate_count(const struct aggregate *a, int64_t *out);
// With the rounding errors carried along (Kahan); 0 of none. ERR_NOMEM.
enum err aggregate_sum(const struct aggregate *a, double *out);
void aggregate_sum_integers(const struct aggregate *a, int64_t *out);
// NaN of none. Integers: a group without rows keeps what `out` had.
void aggregate_extreme(const struct aggregate *a, bool is_max, double *out);
void aggregate_extreme_integers(const struct aggregate *a, bool is_max,
                                int64_t *out);
// Errors: ERR_NOMEM.
enum err aggregate_mean(const struct aggregate *a, double *out);
enum err aggregate_var(const struct aggregate *a, double *out);
enum err aggregate_median(const struct aggregate *a, double *out);
// The first (last) row of each group whose value is there, or -1.
void aggregate_end(const struct aggregate *a, bool is_last, int64_t *out);

// ---- join.c: which rows of two tables meet ----

enum join_how { JOIN_INNER, JOIN_LEFT, JOIN_OUTER };
// Codes of the two tables' keys, of one numbering, none of them missing.
// `order` (of JOIN_OUTER) has the codes as their keys are sorted.
struct join {
  const int32_t *left, *right, *order;
  int64_t left_n, right_n;
  int32_t codes;
  enum join_how how;
  // Where the rows of each code lie in `left_at` and `right_at`; join_open
  // makes them, join_close frees them.
  int64_t *left_start, *right_start;
  int32_t *left_at, *right_at;
};
// Fills `rows`: of how many pairs. Errors: ERR_NOMEM.
enum err join_open(struct join *j, int64_t *rows);
// Rows of the left and of the right table, -1: none. The order is that of the
// left table's rows, then that of the right's; of JOIN_OUTER that of the keys.
void join_fill(const struct join *j, int64_t *left, int64_t *right);
void join_close(struct join *j);

#endif

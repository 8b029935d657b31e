// SPDX-License-Identifier: Apache-2.0
// Texts as codes.
#ifndef LUA_BIND_FRAME_CSV_CSV_TEXTS_H
#define LUA_BIND_FRAME_CSV_CSV_TEXTS_H

#include "lua/bind/frame/csv/csv_inside.h"

struct near;
struct waiting;
struct sample;

// There is one for each column of each worker; what is not small is made for texts.
struct csv_book {
  struct texts *texts;
  struct near *nears;
  struct waiting *waiting;
  struct sample *sample;
  // csv_join.c's: ~ of what each code stands for in the dictionary of all. All workers'
  // are one behind the other, and the first one's.
  int32_t *to;
  int32_t waiting_count;
  int32_t size, stored; // at the block's beginning; the block's texts
  bool is_first;        // it is the worker's first block
  bool is_list;         // texts are added without a look whether they are there
  bool has_list;        // some were
  bool is_same;         // csv_join.c's: each code stands for itself
};
_Static_assert(sizeof(struct csv_book) <= 64, "files have 20,000 columns, too");

// Is it being filled with codes?
static inline bool csv_is_texts(const struct csv *c, int k) {
  return c->columns[k].is_used && !c->columns[k].is_filled &&
         c->columns[k].type == CSV_TEXT;
}

enum err csv_make_books(struct csv *c, int workers);
void csv_free_books(struct csv *c);
// `to` gets the text's code, at the latest by csv_store_waiting; up to then `p` has to
// stay. False: there is no memory.
bool csv_store_text(struct csv_worker *w, int column, const char *p, size_t n,
                    int32_t *to);
bool csv_store_waiting(struct csv_worker *w, int column);
// Behind a block: how many texts there are.
bool csv_end_book(struct csv_worker *w, int column, int32_t *size);

#endif

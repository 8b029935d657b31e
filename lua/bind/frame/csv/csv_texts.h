// SPDX-License-Identifier: Apache-2.0
// Texts as codes.
#ifndef LUA_BIND_FRAME_CSV_CSV_TEXTS_H
#define LUA_BIND_FRAME_CSV_CSV_TEXTS_H

#include "lua/bind/frame/csv/csv_inside.h"

enum err csv_make_books(struct csv *c, int workers);
void csv_free_books(struct csv *c);
// `to` gets the text's code, at the latest by csv_store_waiting; up to then `p` has to
// stay. False: there is no memory.
bool csv_store_text(struct csv_worker *w, int column, const char *p, size_t n,
                    int32_t *to);
bool csv_store_waiting(struct csv_worker *w, int column);
int32_t csv_book_size(const struct csv_worker *w, int column);
// One dictionary for each column, in order of the rows, and each block's codes as
// those of it.
enum err csv_join_books(struct csv *c, struct err_info *e);

#endif

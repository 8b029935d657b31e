// SPDX-License-Identifier: Apache-2.0
// Blocks of rows: where they begin, and how many each has.
#ifndef LUA_BIND_FRAME_CSV_CSV_BLOCKS_H
#define LUA_BIND_FRAME_CSV_CSV_BLOCKS_H

#include "lua/bind/frame/csv/csv_inside.h"

// Finds the next rows, `most` of them at most (negative: all).
enum err csv_find_blocks(struct csv *c, int64_t most, struct err_info *e);
static inline int64_t csv_rows(const struct csv *c) {
  return c->blocks[c->block_count].first_row;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The books of all workers as one dictionary for each column.
#ifndef LUA_BIND_FRAME_CSV_CSV_JOIN_H
#define LUA_BIND_FRAME_CSV_CSV_JOIN_H

#include "lua/bind/frame/csv/csv_inside.h"

// One dictionary for each column, in order of the rows, and each block's codes as
// those of it.
enum err csv_join_books(struct csv *c, struct err_info *e);

#endif

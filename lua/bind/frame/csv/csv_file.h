// SPDX-License-Identifier: Apache-2.0
// The file, its beginning in the buffer.
#ifndef LUA_BIND_FRAME_CSV_CSV_FILE_H
#define LUA_BIND_FRAME_CSV_CSV_FILE_H

#include "lua/bind/frame/csv/csv_inside.h"

// More of the file into the buffer, `bytes` at least, unless it ends.
enum err csv_load(struct csv *c, size_t bytes, struct err_info *e);
// The line of a place in the file.
int csv_line_of(const struct csv *c, int64_t at);
enum err csv_io_error(const struct csv *c, struct err_info *e); // of errno
enum err csv_no_memory(const struct csv *c, struct err_info *e);

#endif

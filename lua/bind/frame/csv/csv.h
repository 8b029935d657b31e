// SPDX-License-Identifier: Apache-2.0
// Reads CSV (RFC 4180, as pandas takes it): quotes, newlines in them, CR LF, a
// byte order mark, blank lines passed over. The rows of a file, or as many as are
// asked for, are counted by where lines end; then each field is parsed once, as
// the type that a sample of its column has. Several threads do both. Only a
// column that turns out to be of another type is parsed again.
#ifndef LUA_BIND_FRAME_CSV_CSV_H
#define LUA_BIND_FRAME_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "lua/bind/frame/table/table.h"

// What values are; a column has the first type that takes all of them.
enum csv_type {
  CSV_NONE, // all are missing
  CSV_BOOL, // u8; with missing ones f64: 1, 0, NaN
  CSV_I64,
  CSV_U64,  // above i64, none negative
  CSV_F64,  // also integers some of which are missing
  CSV_TEXT, // codes of i32
};

struct csv_options {
  char separator;        // ','
  char quote;            // '"'; 0: none
  const char *const *na; // texts that stand for a missing value
  int na_count;
  int threads;          // 0: one for each processor
  size_t least_piece;   // bytes that a thread takes at a time; 0: a good number
  bool skips_bad_lines; // with more fields than there are columns
  bool (*is_cancelled)(void); // asked now and then, by any thread; or NULL
};

struct csv_column {
  const char *name;           // for messages
  const char *wanted_name;    // "i32", read as i64; NULL: as `wanted` says
  enum csv_type type, wanted; // wanted: CSV_NONE where it is to be found out
  bool is_used;               // false: it is passed over
  bool has_missing;
  bool is_filled;      // csv_fill has stored all of its values
  void *values;        // the caller's, of `type`, for csv_fill
  struct texts *texts; // of CSV_TEXT; the caller frees it; an error leaves none
};

// A file from which rows are read in one go, or some at a time. Errors carry the
// file, the line and the column; `cancelled`: the same rows can be read again.
// Owned by the caller.
struct csv;
enum err csv_open(const char *path, const struct csv_options *o,
                  struct csv **out, struct err_info *e);
void csv_close(struct csv *c);

// The fields of the next row, as a row of names: their number, and each without
// its quotes. False: there is none. The texts stay until the next call.
enum err csv_names(struct csv *c, int *count, struct err_info *e);
const char *csv_name(const struct csv *c, int i, size_t *n);
// The same row again is the first to be read.
void csv_back(struct csv *c);

// Counts the next rows, `most` of them at most (negative: all), whose fields are
// those of `columns`, and guesses types where none is wanted. `rows` gets how many
// there are.
enum err csv_scan(struct csv *c, struct csv_column *columns, int count,
                  int64_t most, int64_t *rows, struct err_info *e);
// Stores the values of those rows, of the columns that are not filled. Where it
// leaves one that is not, its type or `rows` was another than csv_scan had found:
// it is called again with other values for that column.
enum err csv_fill(struct csv *c, struct csv_column *columns, int count,
                  int64_t *rows, struct err_info *e);
// Is all stored that is used?
bool csv_is_filled(const struct csv_column *columns, int count);

// A file to write, in pieces; an older one of that name (or where a link of that
// name leads) stays as it was until csv_out_end, which puts the new one in its
// place, with its mode. What is no regular file (a FIFO, a device) is written into.
// csv_out_drop frees it, and takes away what was not ended.
struct csv_out;
enum err csv_out_open(const char *path, struct csv_out **out,
                      struct err_info *e);
enum err csv_out_add(struct csv_out *o, const char *text, size_t n,
                     struct err_info *e);
enum err csv_out_end(struct csv_out *o, struct err_info *e);
void csv_out_drop(struct csv_out *o);

#endif

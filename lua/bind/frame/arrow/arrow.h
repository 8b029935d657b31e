// SPDX-License-Identifier: Apache-2.0
// Columns as Apache Arrow lays them out: read from the bytes of a file or a stream
// (IPC), or taken from another library (the C data interface), and made columns of
// frame; and written as a file or a stream. Nothing here knows Lua. Of what is read
// nothing is believed: no byte is touched that does not lie in what was handed over.
#ifndef LUA_BIND_FRAME_ARROW_ARROW_H
#define LUA_BIND_FRAME_ARROW_ARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"
#include "lua/bind/frame/table/table.h"

// ---- Columns ----

enum arrow_kind {
  ARROW_OTHER, // frame has no such type
  ARROW_NULL,  // all values are missing
  ARROW_BOOL,  // bits
  ARROW_NUMBER,
  ARROW_TEXT,
  ARROW_TIME, // dates and points in time, which become texts
};

struct arrow_field {
  char *name;
  char type[64];        // as pyarrow names it, for messages
  enum arrow_kind kind; // of its values; with a dictionary, of that one's
  enum dtype dtype;     // of ARROW_NUMBER
  int width;            // bytes of an offset (of views: 0), or of a time
  int64_t per_day;      // units of ARROW_TIME
  bool is_date, is_zoned;
  enum dtype
      codes; // of the codes into a dictionary; DTYPE_COUNT: there is none
  int64_t dictionary_id;
};

struct arrow_bytes {
  const uint8_t *data;
  int64_t n;
};

// Rows of a column that lie together; what it points to is somebody else's. Its
// buffers hold `first` + `rows` elements: that is checked by who makes it.
struct arrow_piece {
  int64_t first, rows;
  const uint8_t *validity;        // a bit each, 1: there; NULL: all are there
  const uint8_t *values;          // numbers, bits, offsets, views or codes
  struct arrow_bytes text;        // what offsets go into
  const struct arrow_bytes *more; // what views go into
  int more_count;
  const struct arrow_pieces *dictionary; // what codes go into
};

struct arrow_pieces {
  struct arrow_piece *list;
  int count;
};

// A whole column, and what it becomes: an array of `type` ("i64", "bool", "str":
// codes of i32; "object": bools as f64), whose missing values are NaN or -1.
struct arrow_column {
  const struct arrow_field *field;
  const struct arrow_pieces *pieces;
  int64_t rows;
  const char *type;
  enum dtype dtype;
};

// Looks through the pieces. ERR_UNSUPPORTED: frame has no such type.
enum err arrow_column_begin(const struct arrow_field *f,
                            const struct arrow_pieces *pieces,
                            struct arrow_column *out, struct err_info *e);
// Its values where they lie, as an array of out->dtype; NULL: they must be copied.
const void *arrow_column_in_place(const struct arrow_column *c);
// Stores them in `out`; texts go into `texts`. ERR_ARGUMENT: offsets or codes lead
// out of their buffers.
enum err arrow_column_fill(const struct arrow_column *c, void *out,
                           struct texts *texts, struct err_info *e);

// A field by the C data interface's format string ("l", "u", "tsu:UTC"), without its
// name and dictionary.
void arrow_field_of_format(const char *format, struct arrow_field *out);
// The format of an array's type; NULL: Arrow has no bf16.
const char *arrow_format_of(enum dtype t);

// ---- Reading files and streams ----

// Of bytes that stay where they are while it is used. Owned by the caller.
struct arrow_file;
// Reads the fields. ERR_ARGUMENT: it is no Arrow file or stream, or a broken one.
enum err arrow_open(const void *data, size_t bytes, struct arrow_file **out,
                    struct err_info *e);
void arrow_close(struct arrow_file *f);
int arrow_field_count(const struct arrow_file *f);
const struct arrow_field *arrow_field_at(const struct arrow_file *f, int i);
// Reads all rows of the fields that are wanted; once. ERR_NOT_FOUND: a library that
// unpacks them is not there.
enum err arrow_read(struct arrow_file *f, const bool *is_wanted, int64_t *rows,
                    struct err_info *e);
// Where the bytes of a file end, and those of a stream that was read.
size_t arrow_end(const struct arrow_file *f);
const struct arrow_pieces *arrow_pieces_at(const struct arrow_file *f, int i);

// ---- Writing ----

// A column of frame: values of `dtype` with a step of `stride` bytes, i32 codes where
// it has texts.
struct arrow_written {
  const char *name;
  size_t name_bytes;
  const void *values;
  int64_t stride;
  enum dtype dtype;
  const struct texts *texts; // or NULL
  bool is_object;            // bools as f64
};

// Where bytes go; ERR_CANCELLED and others end the writing.
struct arrow_sink {
  enum err (*add)(void *context, const void *data, size_t bytes,
                  struct err_info *e);
  void *context;
  bool is_file; // with the end that a file has
};

enum err arrow_write(const struct arrow_written *columns, int count,
                     int64_t rows, const struct arrow_sink *sink,
                     struct err_info *e);
// One bit a row, 1 where its value is there; returns how many are missing. `bits` has
// room for (rows + 7) / 8 bytes.
int64_t arrow_mark_present(const struct arrow_written *c, int64_t rows,
                           uint8_t *bits);

#endif
